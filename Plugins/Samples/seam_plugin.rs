//! seam_plugin.h in Rust: the declarations of ABI major 1, member by member, for a plug-in to begin with
//! `mod seam_plugin;`. What they mean, and who may call what when, is told in the header and not again here.
//!
//! Written by hand, since bindgen would be a download and a copy of libclang. The sizes at the end are those that the
//! host asserts too, so a member too many or too few does not compile.
#![allow(dead_code)] // a plug-in uses its part of this

use std::ffi::{c_char, c_void};

pub type Status = i32;
pub const OK: Status = 0;
pub const ABSENT: Status = 1;
pub const E_PLUGIN: Status = -7;

pub const ABI_MAJOR: u32 = 1;
pub const MAGIC: u32 = 0x5345_414d;
pub const NONE: u32 = 0xffff_ffff;

pub const SIDE_IMPERATIVE: u32 = 1;
pub const SIDE_DECLARATIVE: u32 = 2;
pub const FROM_MODEL: u32 = 1;
pub const FROM_NATIVE: u32 = 2;
pub const FROM_LIFECYCLE: u32 = 3;
pub const BRIDGE_EMBED: u32 = 1;
pub const BRIDGE_WRAP: u32 = 2;
pub const BRIDGE_CUSTOM: u32 = 3;
pub const BRIDGE_OBSERVED: u32 = 1;
pub const BRIDGE_ECHO: u32 = 2;
pub const STEP_MODEL_SET: u32 = 1;
pub const STEP_MODEL_CLEAR: u32 = 2;
pub const STEP_EVENT: u32 = 3;
pub const STEP_ASSIGN: u32 = 4;
pub const STEP_UPDATE: u32 = 5;
pub const STEP_MOUNT: u32 = 6;
pub const STEP_UNMOUNT: u32 = 7;
pub const STEP_ADVANCE: u32 = 8;
pub const STEP_CHECK: u32 = 9;

/// Text with a length; `ptr` null is no value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Str {
    pub ptr: *const c_char,
    pub len: usize,
}

impl Str {
    pub fn new(text: &str) -> Str {
        Str { ptr: text.as_ptr().cast(), len: text.len() }
    }

    /// # Safety
    /// The callback that was given this, or that asked the host for it, is still running.
    pub unsafe fn get<'a>(self) -> Option<&'a str> {
        if self.ptr.is_null() {
            return None;
        }
        let bytes = std::slice::from_raw_parts(self.ptr.cast::<u8>(), self.len);
        std::str::from_utf8(bytes).ok() // the host gives nothing else
    }
}

#[repr(C)]
pub struct Bytes {
    pub ptr: *const c_void,
    pub len: usize,
}

#[repr(C)]
pub struct Args {
    pub values: *const Str,
    pub count: u32,
    pub generation: u32,
}

#[repr(C)]
pub struct Sink {
    pub this: *mut c_void,
    pub write: Option<unsafe extern "C" fn(*mut c_void, Bytes) -> Status>,
}

/// The host's, one per instance.
#[repr(C)]
pub struct Ctx {
    opaque: [u8; 0],
}

/// The plug-in's: an instance, a coordinator or a view.
#[repr(C)]
pub struct Obj {
    opaque: [u8; 0],
}

pub type Mount = u64;
pub type Timer = u64;
pub type Token = u64;
pub type Texts = *const *const c_char;

#[repr(C)]
pub struct Param {
    pub id: *const c_char,
    pub title: *const c_char,
    pub kind: *const c_char,
    pub initial: *const c_char,
    pub minimum: *const c_char,
    pub maximum: *const c_char,
    pub choices: Texts,
}

#[repr(C)]
pub struct Field {
    pub key: *const c_char,
    pub title: *const c_char,
    pub kind: *const c_char,
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Screen {
    pub id: *const c_char,
    pub title: *const c_char,
    pub side: u32,
    pub field_count: u32,
    pub fields: *const Field,
}

#[repr(C)]
pub struct Event {
    pub id: *const c_char,
    pub title: *const c_char,
    pub origin: u32,
    pub bridge: u32,
    pub arg_count: u32,
    pub reserved: u32,
    pub args: *const Param,
}

#[repr(C)]
pub struct Bridge {
    pub size: u32,
    pub kind: u32,
    pub screen: u32,
    pub flags: u32,
    pub id: *const c_char,
    pub title: *const c_char,
    pub inputs: Texts,
    pub user: *mut c_void,
    pub coordinator: Option<unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *mut *mut Obj) -> Status>,
    pub make: Option<
        unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *mut Obj, *const Args, u32, *mut *mut Obj) -> Status,
    >,
    pub update: Option<
        unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *mut Obj, *mut *mut Obj, *const Args, u32) -> Status,
    >,
    pub dismantle: Option<unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *mut Obj, *mut Obj, u32)>,
    pub draw: Option<unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *const Args, u32) -> Status>,
    pub native: Option<
        unsafe extern "C" fn(*const Bridge, *mut Obj, Mount, *mut Obj, *mut Obj, u32, *const Args) -> Status,
    >,
    pub policies: Texts,
}

#[repr(C)]
pub struct Step {
    pub kind: u32,
    pub bridge: u32,
    pub event: u32,
    pub arg_count: u32,
    pub virtual_ns: i64,
    pub key: *const c_char,
    pub value: *const c_char,
    pub mount: *const c_char,
    pub args: Texts,
}

#[repr(C)]
pub struct Check {
    pub label: *const c_char,
    pub screen: u32,
    pub key_count: u32,
    pub keys: Texts,
    pub expected: Texts,
}

#[repr(C)]
pub struct Inst {
    pub size: u32,
    pub reserved: u32,
    pub start: Option<unsafe extern "C" fn(*mut Obj) -> Status>,
    pub event: Option<unsafe extern "C" fn(*mut Obj, u32, *const Args) -> Status>,
    pub tick: Option<unsafe extern "C" fn(*mut Obj, Token) -> Status>,
    pub snapshot: Option<unsafe extern "C" fn(*mut Obj, *const Sink) -> Status>,
    pub restore: Option<unsafe extern "C" fn(*mut Obj, Bytes, u32) -> Status>,
    pub destroy: Option<unsafe extern "C" fn(*mut Obj)>,
    pub get_interface: Option<unsafe extern "C" fn(*mut Obj, *const c_char) -> *const c_void>,
}

#[repr(C)]
pub struct Scenario {
    pub size: u32,
    pub flags: u32,
    pub revision: u32,
    pub reserved: u32,
    pub id: *const c_char,
    pub title: *const c_char,
    pub summary: *const c_char,
    pub params: *const Param,
    pub screens: *const Screen,
    pub bridges: *const *const Bridge,
    pub events: *const Event,
    pub param_count: u32,
    pub screen_count: u32,
    pub bridge_count: u32,
    pub event_count: u32,
    pub script: *const Step,
    pub checks: *const Check,
    pub script_count: u32,
    pub check_count: u32,
    pub calls: *const Inst,
    pub user: *mut c_void,
    pub create: Option<
        unsafe extern "C" fn(*const Scenario, *mut Ctx, *const Host, *const Args, *mut *mut Obj) -> Status,
    >,
    pub policies: Texts,
}

#[repr(C)]
pub struct Host {
    pub size: u32,
    pub abi: u32,
    pub model_set: unsafe extern "C" fn(*mut Ctx, Str, Str) -> Status,
    pub model_clear: unsafe extern "C" fn(*mut Ctx, Str) -> Status,
    pub model_get: unsafe extern "C" fn(*mut Ctx, Str, *mut Str) -> Status,
    pub screen_set: unsafe extern "C" fn(*mut Ctx, u32, Str, Str) -> Status,
    pub screen_clear: unsafe extern "C" fn(*mut Ctx, u32, Str) -> Status,
    pub screen_get: unsafe extern "C" fn(*mut Ctx, u32, Str, *mut Str) -> Status,
    pub mount: unsafe extern "C" fn(*mut Ctx, u32, *mut Mount) -> Status,
    pub unmount: unsafe extern "C" fn(*mut Ctx, Mount) -> Status,
    pub assign_root: unsafe extern "C" fn(*mut Ctx, Mount) -> Status,
    pub invalidate: unsafe extern "C" fn(*mut Ctx, Mount, u32) -> Status,
    pub bind: unsafe extern "C" fn(*mut Ctx, Mount, u32, Str, Str) -> Status,
    pub own: unsafe extern "C" fn(*mut Ctx, Mount, Str, *mut Token) -> Status,
    pub disown: unsafe extern "C" fn(*mut Ctx, Token) -> Status,
    pub next_turn: unsafe extern "C" fn(*mut Ctx, Token) -> Status,
    pub at_time: unsafe extern "C" fn(*mut Ctx, i64, Token, *mut Timer) -> Status,
    pub cancel: unsafe extern "C" fn(*mut Ctx, Timer) -> Status,
    pub now: unsafe extern "C" fn(*mut Ctx) -> i64,
    pub random: unsafe extern "C" fn(*mut Ctx) -> u64,
    pub log: unsafe extern "C" fn(*mut Ctx, i32, Str),
    pub post: unsafe extern "C" fn(*mut Ctx, Token) -> Status,
    pub diagnose: unsafe extern "C" fn(*mut Ctx, i32, Str, Str, Mount, u32, Str) -> Status,
    pub fail: unsafe extern "C" fn(*mut Ctx, Status, Str) -> Status,
    pub get_interface: unsafe extern "C" fn(*mut Ctx, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct Offer {
    pub magic: u32,
    pub size: u32,
    pub abi_min: u32,
    pub abi_max: u32,
    pub host_name: *const c_char,
    pub host_version: *const c_char,
    pub library_path: *const c_char,
    pub this: *mut c_void,
    pub explain: Option<unsafe extern "C" fn(*mut c_void, Str)>,
}

#[repr(C)]
pub struct Plugin {
    pub magic: u32,
    pub size: u32,
    pub abi: u32,
    pub scenario_count: u32,
    pub id: *const c_char,
    pub name: *const c_char,
    pub version: *const c_char,
    pub vendor: *const c_char,
    pub license: *const c_char,
    pub url: *const c_char,
    pub scenarios: *const *const Scenario,
    pub interfaces: Texts,
    pub user: *mut c_void,
    pub get_interface: Option<unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_void>,
    pub shutdown: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// A table that is constant from the start, with all that its pointers lead to.
#[repr(transparent)]
pub struct Constant<T>(pub T);

// SAFETY: nobody writes to it, so that any thread may read it.
unsafe impl<T> Sync for Constant<T> {}

const fn sized<T>(bytes: usize) {
    assert!(std::mem::size_of::<T>() == bytes);
}

const _: () = {
    sized::<Str>(16);
    sized::<Bytes>(16);
    sized::<Args>(16);
    sized::<Sink>(16);
    sized::<Param>(56);
    sized::<Field>(32);
    sized::<Screen>(32);
    sized::<Event>(40);
    sized::<Bridge>(104);
    sized::<Step>(56);
    sized::<Check>(32);
    sized::<Inst>(64);
    sized::<Scenario>(144);
    sized::<Host>(192);
    sized::<Offer>(56);
    sized::<Plugin>(104);
};
