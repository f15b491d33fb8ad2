//! Drives a real browser over its own protocol, for tests and measurements of the page of `portolan
//! view`.
//!
//! Chromium talks over two pipes: JSON messages, each followed by a zero byte. The shell puts the
//! pipes where Chromium expects them, so the standard library is enough. Every error is a panic,
//! because only tests and chores use this.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The longest time to wait for an answer.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Value,
    sent: u64,
    complaints: Vec<String>,
    has_loaded: bool,
}

impl Browser {
    /// The browser of this machine: the one that `PORTOLAN_BROWSER` names, or a Chromium on the
    /// path.
    pub fn find() -> Option<PathBuf> {
        let named = std::env::var_os("PORTOLAN_BROWSER").map(PathBuf::from);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
        let all = names.iter().flat_map(|name| {
            std::env::split_paths(&path).map(move |folder| folder.join(name)).collect::<Vec<_>>()
        });
        named.or_else(|| all.into_iter().find(|path| path.is_file())).filter(|_| cfg!(unix))
    }

    /// Starts a browser that keeps its data in a folder.
    pub fn start(program: &Path, folder: &Path) -> Self {
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(program)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--no-first-run"])
            .args(["--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"])
            .args(["--disable-extensions", "--disable-component-update", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .env("HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let to = child.stdin.take().expect("a pipe to it");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe from it"));
        let (sender, from) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while stdout.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                let message = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap_or(&bytes));
                if sender.send(message.unwrap_or_default()).is_err() {
                    return;
                }
                bytes.clear();
            }
        });
        let (session, complaints) = (Value::Null, Vec::new());
        let mut browser = Self { child, to, from, session, sent: 0, complaints, has_loaded: false };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.call("Target.attachToTarget", &attach)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser.size(1440, 900);
        browser
    }

    /// Calls a method of the protocol and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        let text = format!("{message}\0");
        self.to.write_all(text.as_bytes()).expect("the browser listens");
        loop {
            let mut message = self.next(method);
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    fn next(&mut self, method: &str) -> Value {
        let next = self.from.recv_timeout(TIMEOUT);
        assert!(next.is_ok(), "the browser does not answer {method}: {next:?}");
        next.unwrap_or_default()
    }

    /// Records an event of the page, and whether it is a complaint.
    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Page.loadEventFired" => self.has_loaded = true,
            "Runtime.exceptionThrown" => {
                self.complaints.push(parameters["exceptionDetails"].to_string());
            }
            "Runtime.consoleAPICalled" => self.complaints.push(parameters.to_string()),
            "Log.entryAdded" => self.complaints.push(parameters["entry"].to_string()),
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str().unwrap_or_default();
                let is_own = ["file:", "about:", "blob:"].iter().any(|own| url.starts_with(own));
                if !is_own {
                    self.complaints.push(format!("asked for {url}"));
                }
            }
            _ => {}
        }
    }

    /// Opens a page and waits until its scripts are done.
    pub fn open(&mut self, path: &Path) {
        self.has_loaded = false;
        let answer =
            self.call("Page.navigate", &json!({ "url": format!("file://{}", path.display()) }));
        assert!(answer["errorText"].is_null(), "{answer}");
        while !self.has_loaded {
            let event = self.next("Page.navigate");
            self.note(&event);
        }
    }

    /// The value of an expression; waits for a promise.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    /// Presses a key: a character, or a name such as `ArrowDown`.
    pub fn press(&mut self, key: &str) {
        let is_text = key.chars().count() == 1;
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            " " => 32,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if is_text {
            down["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", &down);
        self.call("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// Types a text into the focused element.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Clicks at a position, with the modifiers of the protocol (8 is Shift).
    pub fn click(&mut self, x: f64, y: f64, modifiers: u32) {
        self.mouse("mouseMoved", x, y, modifiers);
        self.mouse("mousePressed", x, y, modifiers);
        self.mouse("mouseReleased", x, y, modifiers);
    }

    /// Moves the pointer to a position.
    pub fn hover(&mut self, x: f64, y: f64) {
        self.mouse("mouseMoved", x, y, 0);
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64, modifiers: u32) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1, "modifiers": modifiers });
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// Clicks in the middle of the element that a selector finds.
    pub fn click_on(&mut self, selector: &str, modifiers: u32) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({}); e.scrollIntoView({{ block: 'nearest' }}); \
             const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})()",
            Value::from(selector)
        ));
        let at = |index: usize| place[index].as_f64().expect("a place on the page");
        self.click(at(0), at(1), modifiers);
    }

    /// Sets the size of the page.
    pub fn size(&mut self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Sets the theme of the system: `light` or `dark`.
    pub fn theme(&mut self, name: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": name }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// A screenshot of the page: a PNG in base64.
    pub fn screenshot(&mut self) -> String {
        let answer = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        answer["data"].as_str().unwrap_or_default().to_owned()
    }

    /// The complaints since the last call: errors, console messages, policy violations, requests.
    pub fn complaints(&mut self) -> Vec<String> {
        // All earlier events have been recorded once this is answered.
        self.eval("0");
        std::mem::take(&mut self.complaints)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The rest of the browser's data goes with the folder.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        for _ in 0..40 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
