//! rename.rs - a plug-in in Rust: a person's name, shown in two hosting controllers at once, and a rename that thinks
//! of one of them only.
//!
//!     rustc --edition 2021 --crate-type cdylib -o librename.so rename.rs
//!
//! Needs rustc 1.83. Not with `-C panic=abort`: a panic has to be caught at the border, and an abort can't be.
mod seam_plugin;

use seam_plugin as seam;
use std::any::Any;
use std::ffi::{c_char, c_void};
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null;

const DETAIL: usize = 0;
const SIDEBAR: usize = 1;

/// One running scenario.
struct Person {
    ctx: *mut seam::Ctx,
    host: &'static seam::Host,
    /// Where the name is shown: DETAIL and SIDEBAR.
    mounts: [seam::Mount; 2],
    /// Which of them rename assigns again: what the two scenarios differ in.
    assigned: &'static [usize],
}

/// The host said no. It has reported why, so the status is all that has to be handed on.
struct Refusal(seam::Status);

fn checked(status: seam::Status) -> Result<(), Refusal> {
    if status < 0 { Err(Refusal(status)) } else { Ok(()) }
}

impl Person {
    fn start(&mut self) -> Result<(), Refusal> {
        // SAFETY, here and below: the context is this instance's, and the host's table lives as long as the process.
        unsafe {
            checked((self.host.model_set)(self.ctx, seam::Str::new("name"), seam::Str::new("Ann")))?;
            checked((self.host.mount)(self.ctx, DETAIL as u32, &mut self.mounts[DETAIL]))?;
            checked((self.host.mount)(self.ctx, SIDEBAR as u32, &mut self.mounts[SIDEBAR]))
        }
    }

    fn rename(&self, name: &str) -> Result<(), Refusal> {
        assert!(!name.trim().is_empty(), "a person needs a name");
        checked(unsafe { (self.host.model_set)(self.ctx, seam::Str::new("name"), seam::Str::new(name)) })?;
        for &place in self.assigned {
            // rootView = PersonView(person: person)
            checked(unsafe { (self.host.assign_root)(self.ctx, self.mounts[place]) })?;
        }
        Ok(())
    }

    /// The body of the root view: shows the copy that it was given.
    fn draw(&self, screen: u32, name: seam::Str) -> Result<(), Refusal> {
        checked(unsafe { (self.host.screen_set)(self.ctx, screen, seam::Str::new("name"), name) })
    }
}

// ---- The border. No panic may cross it, so every callback runs its body in `guarded`. ----

fn guarded(
    ctx: *mut seam::Ctx,
    host: &seam::Host,
    body: impl FnOnce() -> Result<(), Refusal>,
) -> seam::Status {
    // A body that was broken off leaves nothing half-written behind: all it has are the host's services.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => seam::OK,
        Ok(Err(Refusal(status))) => status,
        Err(panic) => unsafe { (host.fail)(ctx, seam::E_PLUGIN, seam::Str::new(message(&*panic))) },
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

/// # Safety
/// `inst` is what create left in `out`, and destroy has not been called. There is no second reference: callbacks never
/// nest, and a service returns before any body that it causes is called.
unsafe fn person<'a>(inst: *mut seam::Obj) -> &'a mut Person {
    &mut *inst.cast()
}

unsafe extern "C" fn create(
    scenario: *const seam::Scenario,
    ctx: *mut seam::Ctx,
    host: *const seam::Host,
    _params: *const seam::Args,
    out: *mut *mut seam::Obj,
) -> seam::Status {
    let host: &'static seam::Host = &*host;
    guarded(ctx, host, || {
        let assigned = *(*scenario).user.cast::<&'static [usize]>();
        *out = Box::into_raw(Box::new(Person { ctx, host, mounts: [0; 2], assigned })).cast(); // back in destroy
        Ok(())
    })
}

unsafe extern "C" fn start(inst: *mut seam::Obj) -> seam::Status {
    let person = person(inst);
    guarded(person.ctx, person.host, || person.start())
}

unsafe extern "C" fn event(inst: *mut seam::Obj, event: u32, args: *const seam::Args) -> seam::Status {
    let person = person(inst);
    guarded(person.ctx, person.host, || match event {
        // The only one that is declared, with its only argument.
        0 => person.rename((*(*args).values).get().unwrap_or("")),
        _ => panic!("there is no event {event}"),
    })
}

unsafe extern "C" fn destroy(inst: *mut seam::Obj) {
    drop(Box::from_raw(inst.cast::<Person>()));
}

unsafe extern "C" fn draw(
    bridge: *const seam::Bridge,
    inst: *mut seam::Obj,
    _mount: seam::Mount,
    inputs: *const seam::Args,
    _why: u32,
) -> seam::Status {
    let person = person(inst);
    guarded(person.ctx, person.host, || person.draw((*bridge).screen, *(*inputs).values))
}

// ---- The description. Statics, since constants may be copied and these are found by their address. ----

/// Text for a descriptor, ended by NUL.
macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr().cast::<c_char>()
    };
}

static FIELDS: seam::Constant<[seam::Field; 1]> = seam::Constant([seam::Field {
    key: text!("name"),
    title: text!("The person's name"),
    kind: text!("text"),
    flags: 0,
    reserved: 0,
}]);

const fn screen(id: *const c_char, title: *const c_char) -> seam::Screen {
    seam::Screen { id, title, side: seam::SIDE_IMPERATIVE, field_count: 1, fields: FIELDS.0.as_ptr() }
}

static SCREENS: seam::Constant<[seam::Screen; 2]> = seam::Constant([
    screen(text!("Detail"), text!("The person's own screen")),
    screen(text!("Sidebar"), text!("The list beside it")),
]);

static INPUTS: seam::Constant<[*const c_char; 2]> = seam::Constant([text!("name"), null()]);

const fn embedding(screen: usize, id: *const c_char, title: *const c_char) -> seam::Bridge {
    seam::Bridge {
        size: size_of::<seam::Bridge>() as u32,
        kind: seam::BRIDGE_EMBED,
        screen: screen as u32,
        flags: 0,
        id,
        title,
        inputs: INPUTS.0.as_ptr(),
        user: null::<c_void>() as *mut c_void,
        coordinator: None,
        make: None,
        update: None,
        dismantle: None,
        draw: Some(draw),
        native: None,
        policies: null(),
    }
}

static DETAIL_HOST: seam::Constant<seam::Bridge> =
    seam::Constant(embedding(DETAIL, text!("detail"), text!("The hosting controller of the detail")));
static SIDEBAR_HOST: seam::Constant<seam::Bridge> =
    seam::Constant(embedding(SIDEBAR, text!("sidebar"), text!("The hosting controller of the sidebar")));
static BRIDGES: seam::Constant<[*const seam::Bridge; 2]> = seam::Constant([&DETAIL_HOST.0, &SIDEBAR_HOST.0]);

static RENAME_ARGS: seam::Constant<[seam::Param; 1]> = seam::Constant([seam::Param {
    id: text!("name"),
    title: text!("The new name"),
    kind: text!("text"),
    initial: text!("Anna"),
    minimum: null(),
    maximum: null(),
    choices: null(),
}]);

static EVENTS: seam::Constant<[seam::Event; 1]> = seam::Constant([seam::Event {
    id: text!("rename"),
    title: text!("The person is given another name"),
    origin: seam::FROM_MODEL,
    bridge: seam::NONE,
    arg_count: 1,
    reserved: 0,
    args: RENAME_ARGS.0.as_ptr(),
}]);

const STEP: seam::Step = seam::Step {
    kind: 0,
    bridge: 0,
    event: 0,
    arg_count: 0,
    virtual_ns: 0,
    key: null(),
    value: null(),
    mount: null(),
    args: null(),
};

static NAMES: seam::Constant<[*const c_char; 1]> = seam::Constant([text!("Anna")]);
static SCRIPT: seam::Constant<[seam::Step; 2]> = seam::Constant([
    seam::Step { kind: seam::STEP_EVENT, event: 0, arg_count: 1, args: NAMES.0.as_ptr(), ..STEP },
    seam::Step { kind: seam::STEP_CHECK, key: text!("renamed"), ..STEP },
]);

static KEYS: seam::Constant<[*const c_char; 1]> = seam::Constant([text!("name")]);
static MATCHING: seam::Constant<[*const c_char; 1]> = seam::Constant([text!("matching")]);
static STALE: seam::Constant<[*const c_char; 1]> = seam::Constant([text!("stale")]);

const fn expect(screen: usize, verdict: &'static seam::Constant<[*const c_char; 1]>) -> seam::Check {
    seam::Check {
        label: text!("renamed"),
        screen: screen as u32,
        key_count: 1,
        keys: KEYS.0.as_ptr(),
        expected: verdict.0.as_ptr(),
    }
}

// Two rows with one label are one check over both screens.
static CHECKS_ONE: seam::Constant<[seam::Check; 2]> =
    seam::Constant([expect(DETAIL, &MATCHING), expect(SIDEBAR, &STALE)]);
static CHECKS_BOTH: seam::Constant<[seam::Check; 2]> =
    seam::Constant([expect(DETAIL, &MATCHING), expect(SIDEBAR, &MATCHING)]);

static CALLS: seam::Constant<seam::Inst> = seam::Constant(seam::Inst {
    size: size_of::<seam::Inst>() as u32,
    reserved: 0,
    start: Some(start),
    event: Some(event),
    tick: None,
    snapshot: None,
    restore: None,
    destroy: Some(destroy),
    get_interface: None,
});

static ONE: &[usize] = &[DETAIL];
static BOTH: &[usize] = &[DETAIL, SIDEBAR];

const fn scenario(
    id: *const c_char,
    title: *const c_char,
    summary: *const c_char,
    assigned: &'static &'static [usize],
    checks: &'static seam::Constant<[seam::Check; 2]>,
) -> seam::Scenario {
    seam::Scenario {
        size: size_of::<seam::Scenario>() as u32,
        flags: 0,
        revision: 0,
        reserved: 0,
        id,
        title,
        summary,
        params: null(),
        screens: SCREENS.0.as_ptr(),
        bridges: BRIDGES.0.as_ptr(),
        events: EVENTS.0.as_ptr(),
        param_count: 0,
        screen_count: 2,
        bridge_count: 2,
        event_count: 1,
        script: SCRIPT.0.as_ptr(),
        checks: checks.0.as_ptr(),
        script_count: 2,
        check_count: 2,
        calls: &CALLS.0,
        user: assigned as *const &[usize] as *mut c_void, // read only
        create: Some(create),
        policies: null(),
    }
}

static DETAIL_ONLY: seam::Constant<seam::Scenario> = seam::Constant(scenario(
    text!("rename.detail-only"),
    text!("One of two places is told"),
    text!(concat!(
        "A person's name is shown in two hosting controllers. Renaming assigns the root view of the screen that one is ",
        "looking at; the sidebar beside it keeps the old name."
    )),
    &ONE,
    &CHECKS_ONE,
));
static EVERYWHERE: seam::Constant<seam::Scenario> = seam::Constant(scenario(
    text!("rename.everywhere"),
    text!("Both places are told"),
    text!("The repair of rename.detail-only: the root view of each hosting controller is assigned."),
    &BOTH,
    &CHECKS_BOTH,
));
static SCENARIOS: seam::Constant<[*const seam::Scenario; 2]> = seam::Constant([&DETAIL_ONLY.0, &EVERYWHERE.0]);

static PLUGIN: seam::Constant<seam::Plugin> = seam::Constant(seam::Plugin {
    magic: seam::MAGIC,
    size: size_of::<seam::Plugin>() as u32,
    abi: seam::ABI_MAJOR,
    scenario_count: 2,
    id: text!("seam.samples.rename"),
    name: text!("Rename (Rust sample)"),
    version: text!("1.0.0"),
    vendor: null(),
    license: null(),
    url: null(),
    scenarios: SCENARIOS.0.as_ptr(),
    interfaces: null(),
    user: null::<c_void>() as *mut c_void,
    get_interface: None,
    shutdown: None,
});

/// # Safety
/// Called by a host, with an offer that lives until this returns.
#[no_mangle]
pub unsafe extern "C" fn seam_plugin_entry(offer: *const seam::Offer) -> *const seam::Plugin {
    let Some(offer) = offer.as_ref() else { return null() };
    if offer.magic != seam::MAGIC || offer.size as usize != size_of::<seam::Offer>() {
        return null();
    }
    if !(offer.abi_min..=offer.abi_max).contains(&seam::ABI_MAJOR) {
        if let Some(explain) = offer.explain {
            explain(offer.this, seam::Str::new("it is built for ABI major 1"));
        }
        return null();
    }
    &PLUGIN.0
}
