//! `reasonix doctor --attack`: real attempts to get out of the box, on this machine, in a folder that goes away again.

use crate::context::Context;
use crate::exit::Exit;
use crate::say::{self, Colour, Style, clean};
use reasonix_config::BashBoxing;
use reasonix_exec::attacks::{ATTACKS, Attack, Ground, Held};
use reasonix_exec::{Sandbox, SandboxLevel};
use reasonix_proto::Phrase;
use serde_json::json;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the catalogue. 0 when everything held, 3 when something did not or there is no box, 1 when it cannot be tried.
pub(super) async fn attack(context: &Context, as_json: bool) -> anyhow::Result<Exit> {
    let place = Place::new(&context.home)?;
    let ground = Ground::new(&place.0)?;
    let least = match context.loaded.settings.sandbox.bash {
        BashBoxing::Off => return refused(as_json, &Phrase::new("cli.attack_off")),
        BashBoxing::BestEffort => SandboxLevel::Partial,
        BashBoxing::Enforce => SandboxLevel::Full,
    };
    let sandbox = match ground.sandbox(least) {
        Ok(sandbox) => sandbox,
        Err(error) => return refused(as_json, &error.phrase()),
    };
    let mut table = Table { style: Style::get(), json: as_json, rows: Vec::new(), through: 0, held: 0, apart: 0 };
    table.head(&sandbox)?;
    for attack in ATTACKS {
        let held = ground.attempt(&sandbox, attack).await.map_err(|error| say::failed(error.phrase()))?;
        table.row(attack, &held)?;
    }
    table.end(&sandbox)
}

fn refused(as_json: bool, why: &Phrase) -> anyhow::Result<Exit> {
    if as_json {
        say::line(&say::json(&json!({"v": 1, "level": null, "refused": why, "attacks": []}))?)?;
    } else {
        say::notice(reasonix_proto::Level::Error, why);
    }
    Ok(Exit::Refused)
}

/// A folder that goes away with the run, also when it fails.
struct Place(PathBuf);

impl Place {
    fn new(home: &Path) -> anyhow::Result<Self> {
        let folder = home.join("state").join(format!("attack-{}", std::process::id()));
        std::fs::create_dir_all(home.join("state"))?;
        // One of an earlier process with the same number, if it was killed.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Table {
    style: Style,
    json: bool,
    rows: Vec<serde_json::Value>,
    held: usize,
    through: usize,
    apart: usize,
}

impl Table {
    fn head(&self, sandbox: &Arc<Sandbox>) -> anyhow::Result<()> {
        if self.json {
            return Ok(());
        }
        let phrase = Phrase::new("cli.attack_head").with("level", sandbox.level()).with("count", ATTACKS.len());
        say::line(&self.style.text(&phrase))?;
        if let Some(why) = sandbox.shortfall() {
            say::line(&clean(&self.style.text(&Phrase::new("cli.attack_shortfall").with("why", why))))?;
        }
        Ok(())
    }

    fn row(&mut self, attack: &Attack, held: &Held) -> anyhow::Result<()> {
        let what = Phrase { code: Cow::Owned(format!("attack.{}", attack.name)), args: Vec::new() };
        let (word, code, colour) = match held {
            Held::Yes => ("held", "cli.attack_held", Colour::Green),
            Held::No(_) => ("not_held", "cli.attack_not_held", Colour::Red),
            Held::NotPromised => ("not_promised", "cli.attack_not_promised", Colour::Yellow),
            Held::NotHere(_) => ("not_applicable", "cli.attack_not_here", Colour::Dim),
        };
        match held {
            Held::Yes => self.held += 1,
            Held::No(_) => self.through += 1,
            _ => self.apart += 1,
        }
        self.rows.push(json!({
            "id": attack.id, "name": attack.name, "tried": attack.line, "result": word, "level": attack.level.to_string(),
        }));
        if self.json {
            return Ok(());
        }
        let mut phrase = Phrase::new(code);
        if let Held::NotHere(program) = held {
            phrase = phrase.with("name", program);
        }
        let label = self.style.out(colour, &self.style.text(&phrase));
        say::line(&format!("{:<3} {label}  {}", attack.id, self.style.text(&what)))?;
        if let Held::No(said) = held {
            say::line(&format!("      {}\n      {}", clean(attack.line), clean(said)))?;
        }
        Ok(())
    }

    fn end(self, sandbox: &Arc<Sandbox>) -> anyhow::Result<Exit> {
        if self.json {
            let level = sandbox.level().to_string();
            let (held, not_held, other) = (self.held, self.through, self.apart);
            let all = json!({"v": 1, "level": level, "shortfall": sandbox.shortfall(), "held": held, "not_held": not_held,
                "other": other, "attacks": self.rows});
            say::line(&say::json(&all)?)?;
        } else {
            let phrase = Phrase::new("cli.attack_end").with("held", self.held).with("through", self.through);
            say::line(&self.style.text(&phrase.with("other", self.apart)))?;
        }
        Ok(if self.through > 0 { Exit::Refused } else { Exit::Done })
    }
}
