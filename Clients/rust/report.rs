//! A program with a toolbar tells Seam what its model says and what the toolbar shows; once it forgets to, reads that
//! this is stale, and repairs it. The standard library alone:
//!
//!     rustc -o report Clients/rust/report.rs && ./report

use std::env;
use std::io::{BufRead, BufReader, Error, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A text as JSON.
fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => json.push_str(&format!("\\u{:04x}", character as u32)),
            _ => json.push(character),
        }
    }
    json + "\""
}

/// The text of the first member of that name. Enough for a reply whose form is known and whose values were written by
/// this program: the daemon writes no spaces, and no value here holds a quote.
fn text<'a>(reply: &'a str, name: &str) -> Option<&'a str> {
    reply.split_once(&format!("\"{name}\":\""))?.1.split_once('"').map(|parts| parts.0)
}

struct Seam {
    daemon: BufReader<UnixStream>,
    sim: String,
}

impl Seam {
    fn connect(path: &str) -> Result<Seam, Error> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        let mut seam = Seam { daemon: BufReader::new(stream), sim: String::new() };
        // "connection": the simulation ends when this program does, however it ends.
        let reply = seam.call("sim.create", r#"{"scenario":"live","lifetime":"connection"}"#)?;
        seam.sim = text(&reply, "sim").unwrap_or_default().to_string();
        Ok(seam)
    }

    fn call(&mut self, method: &str, params: &str) -> Result<String, Error> {
        let request = format!("{{\"id\":1,\"method\":{},\"params\":{params}}}\n", quoted(method));
        self.daemon.get_mut().write_all(request.as_bytes())?;
        let mut reply = String::new();
        if self.daemon.read_line(&mut reply)? == 0 {
            return Err(Error::new(ErrorKind::UnexpectedEof, "the daemon closed the connection"));
        }
        match text(&reply, "message") {
            Some(message) if reply.contains("\"error\":{") => Err(Error::other(message)),
            _ => Ok(reply),
        }
    }

    fn model(&mut self, key: &str, value: &str) -> Result<String, Error> {
        let params = format!("{{\"sim\":{},\"values\":{{{}:{}}}}}", quoted(&self.sim), quoted(key), quoted(value));
        self.call("model.set", &params)
    }

    fn shows(&mut self, screen: &str, key: &str, value: &str) -> Result<String, Error> {
        let (sim, screen) = (quoted(&self.sim), quoted(screen));
        let values = format!("{{{}:{}}}", quoted(key), quoted(value));
        self.call("screen.set", &format!("{{\"sim\":{sim},\"screen\":{screen},\"values\":{values}}}"))
    }

    fn verdict(&mut self, field: &str) -> Result<(), Error> {
        let params = format!("{{\"sim\":{},\"fields\":[{}]}}", quoted(&self.sim), quoted(field));
        let reply = self.call("sim.check", &params)?;
        let [model, shown, verdict] = ["model", "shown", "verdict"].map(|name| text(&reply, name).unwrap_or("(none)"));
        println!("{field}: model={model} screen={shown} -> {verdict}");
        Ok(())
    }
}

fn story(path: &str) -> Result<(), Error> {
    let mut seam = Seam::connect(path)?;
    seam.model("openCount", "3")?;
    seam.shows("Toolbar", "openCount", "3")?;
    seam.verdict("Toolbar.openCount")?;

    seam.model("openCount", "5")?; // and nobody tells the toolbar
    seam.verdict("Toolbar.openCount")?;

    seam.shows("Toolbar", "openCount", "5")?; // the call that was forgotten
    seam.verdict("Toolbar.openCount")
}

fn main() {
    let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
    // The standard library has no getuid(), but this process's folder belongs to its user.
    let user = std::fs::metadata("/proc/self").map_or(0, |folder| folder.uid());
    let folder = set("XDG_RUNTIME_DIR").unwrap_or(format!("/run/user/{user}"));
    let path = set("SEAM_SOCKET").unwrap_or(format!("{folder}/seam/seam.sock"));
    if let Err(error) = story(&path) {
        eprintln!("report: {path}: {error}; a daemon is started with: seamd --socket {path}");
        std::process::exit(1);
    }
}
