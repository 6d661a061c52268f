//! What lies over and below the transcript as a person sees it: at three sizes, on dark and light, in both languages. The
//! engine's part is played by answers that are always the same.

use crate::support;

use ratatui_core::text::Line;
use reasonix_proto::{Envelope, Event, Op, Phrase, Query, Reply, SessionId};
use reasonix_tui::app::{App, Msg, ScreenEffect};
use reasonix_tui::frame::Parser;
use reasonix_tui::keys::Bindings;
use reasonix_tui::overlays::Overlay;
use reasonix_tui::update::update;
use reasonix_tui::view::view;
use reasonix_tui::{Answer, HostNews, HostRequest, Look, Offered, SetupStep};
use serde_json::json;
use std::time::Duration;
use support::{assert_snapshot, look, looks, rows, screen, styles};

const SESSION: &str = "01a1dd61315274d9aa7af6e83be1d586";

/// The front end with an engine that is played.
struct Stage {
    app: App,
    finished: Vec<Line<'static>>,
    now: Duration,
    done: Vec<ScreenEffect>,
}

impl Stage {
    fn new(look: Look, size: (u16, u16)) -> Self {
        let app = App::new(look, Bindings::default(), size);
        Self { app, finished: Vec::new(), now: Duration::from_secs(1), done: Vec::new() }
    }

    fn ready(look: Look, size: (u16, u16)) -> Self {
        let mut stage = Self::new(look, size);
        stage.tell(Msg::Host(HostNews::Ready));
        stage
    }

    fn tell(&mut self, msg: Msg) {
        self.now += Duration::from_secs(1);
        let effects = update(&mut self.app, msg, self.now);
        for effect in effects {
            match effect {
                ScreenEffect::Ask(id, query) => {
                    let listed = (query == Query::Hooks).then(listed_hooks);
                    if let Some(reply) = listed.or_else(|| reply(&query)) {
                        self.tell(Msg::Reply(id, Box::new(reply)));
                    }
                }
                other => self.done.push(other),
            }
        }
    }

    fn event(&mut self, event: serde_json::Value) {
        let event: Event = serde_json::from_value(event).unwrap();
        let ephemeral = event.is_ephemeral();
        let envelope = Envelope { v: 1, seq: 1, session: SessionId(SESSION.into()), parent: None, ephemeral, event };
        self.tell(Msg::Event(Box::new(envelope)));
    }

    /// Keys as a terminal sends them, one after the other.
    fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            self.draw();
            let mut parser = Parser::default();
            let mut inputs = parser.feed(key.as_bytes());
            inputs.extend(parser.flush());
            self.tell(Msg::Inputs(inputs));
            if matches!(self.app.overlays.last(), Some(Overlay::Approval(_) | Overlay::Plan(_) | Overlay::Trust(_))) {
                self.tell(Msg::Tick);
            }
        }
    }

    fn draw(&mut self) -> vt100::Parser {
        let picture = view(&mut self.app);
        let (width, height) = self.app.size;
        if picture.full {
            return screen(&picture.live, width, height);
        }
        self.finished.extend(picture.finished);
        let mut lines = self.finished.clone();
        lines.extend(picture.live);
        screen(&lines, width, height)
    }
}

/// What the table says that a command does.
fn cases(name: &str) -> Vec<reasonix_proto::CommandCase> {
    let table = reasonix_proto::builtin_commands();
    table.into_iter().find(|command| command.name == name).map(|command| command.cases).unwrap_or_default()
}

fn memories() -> serde_json::Value {
    json!({"reply": "memories", "memories": [
            {"name": "prices", "scope": "project", "description": "prices are in cents, 单位是分", "text": "Prices are in cents.\n单位是分。",
                "saved": "2026-03-01 10:00", "revision": 2, "source": "README.md"},
            {"name": "tone", "scope": "global", "description": "short answers", "text": "Short answers.", "saved": "2026-03-01 10:00", "revision": 1}]})
}

/// One of each standing.
fn servers() -> serde_json::Value {
    json!({"reply": "servers", "servers": [
            {"name": "files", "origin": "~/.reasonix/config.toml:12", "standing": "up", "protocol": "2026-07-28",
                "counts": {"tools": 14, "sent": 9, "prompts": 1, "resources": 3}, "left_out": ["Delete: looks like delete"],
                "stderr": "listening on stdio\n正在监听\n"},
            {"name": "docs", "origin": ".mcp.json", "standing": "asleep"},
            {"name": "broken", "origin": ".mcp.json", "standing": "down", "reason": "it ended with code 1\u{1b}[2J", "stderr": "Error: Cannot find module 'x'"},
            {"name": "old", "origin": "~/.reasonix/config.toml:20", "standing": "refused", "reason": "its type is `sse`"}]})
}

fn reply(query: &Query) -> Option<Reply> {
    let reply = match query {
        Query::Status => json!({"reply": "status", "session": SESSION, "title": "shop", "state": "idle",
            "model": "local/qwen3-coder", "posture": "ask", "sandbox": "full", "folder": "/home/me/shop", "turns": 2,
            "usage": {"input": 14800, "output": 360, "cached": 13000}, "context": 4100, "window": 65536, "kept": true}),
        Query::Git => json!({"reply": "git", "git": {"branch": "main", "dirty": 2}}),
        Query::Commands => json!({"reply": "commands", "commands": [
            {"name": "model", "about": {"code": "tui.list.models"}, "source": "builtin", "cases": cases("model")},
            {"name": "resume", "about": {"code": "tui.list.sessions"}, "source": "builtin", "cases": cases("resume")},
            {"name": "tree", "about": {"code": "tui.list.tree"}, "source": "builtin", "cases": cases("tree")},
            {"name": "diff", "about": {"code": "command.diff"}, "source": "builtin", "cases": cases("diff")},
            {"name": "permissions", "about": {"code": "tui.list.rules"}, "source": "builtin", "cases": cases("permissions")},
            {"name": "status", "about": {"code": "tui.command.help"}, "source": "builtin", "cases": cases("status")},
            {"name": "todo", "about": {"code": "tui.command.queue"}, "source": "builtin", "cases": cases("todo")},
            {"name": "config", "about": {"code": "command.config"}, "source": "builtin", "cases": cases("config")},
            {"name": "undo", "about": {"code": "command.undo"}, "source": "builtin", "cases": cases("undo")},
            {"name": "memory", "about": {"code": "command.memory"}, "source": "builtin", "cases": cases("memory")},
            {"name": "history", "about": {"code": "command.history"}, "source": "builtin", "cases": cases("history")},
            {"name": "mcp", "about": {"code": "command.mcp"}, "source": "builtin", "cases": cases("mcp")}]}),
        Query::Servers => servers(),
        Query::Models => json!({"reply": "models", "models": [
            {"name": "local/qwen3-coder", "window": 65536, "current": true, "default": true, "roles": ["default"]},
            {"name": "deepseek/deepseek-chat", "window": 128_000, "current": false, "default": false, "price": "0.27/1.10 USD"},
            {"name": "dashscope/通义千问-max", "window": 32768, "current": false, "default": false}]}),
        Query::Tree { .. } => json!({"reply": "tree", "leaf": 9, "nodes": [
            {"id": 2, "depth": 0, "kind": "prompt", "text": "The test in test.sh fails.", "turn": 1, "at": 0, "active": true},
            {"id": 6, "depth": 0, "kind": "prompt", "text": "现在更新说明文档，并写一段简短的介绍。", "turn": 2, "at": 0, "active": true, "label": "docs"}]}),
        Query::Changes { .. } => json!({"reply": "changes", "turn": 2, "changes": [
            {"path": "price.sh", "kind": "updated", "added": 1, "removed": 1,
             "diff": "--- a/price.sh\n+++ b/price.sh\n@@ -2,3 +2,3 @@\n \n-total() { echo $(( $1 + $2 )); }\n+total() { echo $(( $1 * $2 )); }\n # 打折\n"},
            {"path": "docs/说明.md", "kind": "created", "added": 1, "removed": 0, "diff": "--- /dev/null\n+++ b/docs/说明.md\n@@ -0,0 +1 @@\n+# 商店\n"}]}),
        Query::Permissions => json!({"reply": "permissions", "posture": "ask", "rules": [
            {"rule": "Read(.env)", "effect": "deny", "origin": "~/.reasonix/config.toml", "revocable": false},
            {"rule": "Bash(cargo test:*)", "effect": "allow", "origin": "session", "revocable": true}]}),
        Query::Todo => json!({"reply": "todo", "phases": [{"name": "Todos", "tasks": [
            {"content": "read the script", "status": "completed"}, {"content": "修复 total", "status": "in_progress"},
            {"content": "run the test", "status": "pending"}]}]}),
        Query::Config => json!({"reply": "config", "settings": [
            {"key": "default_model", "value": "\"local/qwen3-coder\"", "origin": "user ~/.reasonix/config.toml:1",
                "about": {"code": "setting.default_model"},
                "dial": {"takes": "one_of", "words": ["local/qwen3-coder", "deepseek/deepseek-chat"], "acts": "next_session"}},
            {"key": "language", "value": "", "origin": "default", "about": {"code": "setting.language"},
                "dial": {"takes": "one_of", "words": ["en", "zh"], "acts": "now"}},
            {"key": "tui.theme", "value": "\"dark\"", "origin": "user ~/.reasonix/config.toml:9",
                "about": {"code": "setting.theme"}, "dial": {"takes": "text", "acts": "now"}},
            {"key": "tui.status", "value": "[\"model\", \"git\"]", "origin": "user ~/.reasonix/config.toml:10",
                "about": {"code": "setting.status"},
                "dial": {"takes": "several", "words": ["model", "posture", "git"], "acts": "now"}},
            {"key": "tui.full_screen", "value": "false", "origin": "default", "about": {"code": "setting.full_screen"},
                "dial": {"takes": "switch", "acts": "next_start"}},
            {"key": "compaction.auto", "value": "false", "origin": "project reasonix.toml:3",
                "about": {"code": "setting.compaction_auto"}, "dial": {"takes": "switch", "acts": "next_session"}},
            {"key": "agent.max_steps", "value": "40", "origin": "flag --max-steps", "about": {"code": "setting.max_steps"},
                "dial": {"takes": "count", "acts": "next_session"}},
            {"key": "sandbox.bash", "value": "\"enforce\"", "origin": "default", "about": {"code": "setting.sandbox"}},
            {"key": "net.connect_timeout_seconds", "value": "15", "origin": "default"}]}),
        Query::Memories => memories(),
        Query::History { .. } => json!({"reply": "history", "missing": 2, "hits": [
            {"session": "01a1dd61315274d9aa7af6e83be1d586", "record": 4, "folder": "/home/me/shop", "at": 0, "by": "user",
                "text": "…why is the total of 3 items wrong?…"},
            {"session": "01a1dd61315274d9aa7af6e83be1d777", "record": 9, "folder": "/home/me/shop", "at": 0, "by": "assistant",
                "text": "…`total` 把两个数相加了，应该相乘…"}]}),
        Query::Around { .. } => json!({"reply": "around", "said": [
            {"session": "01a1dd61315274d9aa7af6e83be1d586", "record": 4, "folder": "/home/me/shop", "at": 0, "by": "user",
                "text": "Hello,\nwhy is the total of 3 items wrong?"},
            {"session": "01a1dd61315274d9aa7af6e83be1d586", "record": 5, "folder": "/home/me/shop", "at": 0, "by": "assistant",
                "text": "`total` adds where it should multiply."}]}),
        _ => return None,
    };
    Some(serde_json::from_value(reply).unwrap())
}

fn asked(stage: &mut Stage, asking: &serde_json::Value) {
    let mut whole = json!({"ask": "1", "call": "a", "why": {"code": "engine.ask_mode"}, "digest": "cce30201f3a4b5c6",
        "choices": [{"choice": "allow_once"}, {"choice": "allow_session", "rule": "Bash(cargo test:*)"}, {"choice": "deny"}]});
    whole.as_object_mut().unwrap().extend(asking.as_object().unwrap().clone());
    stage.event(json!({"type": "asked", "asking": whole}));
}

fn inquired(stage: &mut Stage, questions: &serde_json::Value) {
    stage.event(json!({"type": "inquired", "inquiry": {"ask": "inquiry-1", "call": "a", "questions": questions}}));
}

const PLAN: &str = "# Move the shop to SQLite\n\n1. **Schema**: `orders`, `items` in `db/schema.sql`\n2. 迁移脚本：读取旧的 JSON 文件\n3. Replace `Store` in `src/store.rs`, keep its interface\n\nOpen: what happens to orders of before 2020?\n";

fn proposed(stage: &mut Stage) {
    stage.event(json!({"type": "proposed", "proposal": {"ask": "plan-1", "call": "a", "plan": PLAN}}));
}

fn steps(stage: &mut Stage) {
    let plan =
        "The table is not there.\n\n```diff\n  [x] 1. Read it\n- 2. Write it\n+ 4. Write less\n  3. Test it\n```\n";
    stage.event(json!({"type": "proposed", "proposal": {"ask": "plan-2", "call": "a", "plan": plan, "revises": true}}));
}

fn several(stage: &mut Stage) {
    inquired(
        stage,
        &json!([{"id": "1", "question": "Which language?", "options": [{"label": "Rust"}, {"label": "Go"}]},
        {"id": "2", "question": "What should it be called?"}]),
    );
}

fn listed_hooks() -> Reply {
    let reply = json!({"reply": "hooks", "hooks": [
            {"event": "PreToolUse", "matcher": "bash", "command": "scripts/guard.sh --strict", "description": "no pushes, 禁止推送",
                "source": "reasonix.toml", "dialect": "own", "timeout_ms": 5000, "trusted": true},
            {"event": "PostToolUse", "matcher": "Edit|Write", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/fmt.sh",
                "source": ".claude/settings.json", "dialect": "claude", "timeout_ms": 60000, "trusted": false},
            {"event": "Stop", "matcher": "", "command": "notify\u{1b}[31m done", "source": "~/.reasonix/settings.json",
                "dialect": "own", "timeout_ms": 1500, "trusted": true}]});
    serde_json::from_value(reply).unwrap()
}

fn hooks(stage: &mut Stage) {
    // Typing the name has the commands asked for, of which the played engine knows but a few.
    stage.keys(&["/", "h", "o", "o", "k", "s"]);
    let table = reasonix_proto::builtin_commands();
    stage.app.commands.extend(table.into_iter().filter(|command| command.name == "hooks"));
    stage.keys(&["\r"]);
}

fn turn(stage: &mut Stage) {
    stage.event(json!({"type": "turn_started", "record": {"id": 2, "parent": 1, "at": 0, "kind": "prompt", "turn": 1, "text": "Run the tests and fix what fails."}}));
    stage.event(json!({"type": "state", "state": "planning"}));
}

/// A scene: its name, and what happens in it.
type Scene = (&'static str, fn(&mut Stage));

const SCENES: &[Scene] = &[
    ("empty", |_| {}),
    ("composer", |stage| stage.keys(&["H", "e", "l", "l", "o", "，", "世", "界", "\n", "🦀", "!"])),
    ("servers", |stage| stage.keys(&["/", "m", "c", "p", "\r"])),
    ("menu", |stage| stage.keys(&["/"])),
    ("menu-narrowed", |stage| stage.keys(&["/", "t", "o"])),
    ("working", |stage| {
        turn(stage);
        stage.event(json!({"type": "queued", "queue": [{"id": 1, "kind": "steer", "text": "only the unit tests"}, {"id": 2, "kind": "follow_up", "text": "然后更新说明文档"}]}));
    }),
    ("ask-command", |stage| {
        turn(stage);
        asked(stage, &json!({"tool": "bash", "subject": "cargo test --workspace 2>&1 | tail -40"}));
    }),
    ("ask-edit", |stage| {
        turn(stage);
        let diff = "--- a/price.sh\n+++ b/price.sh\n@@ -2,3 +2,3 @@\n \n-total() { echo $(( $1 + $2 )); }\n+total() { echo $(( $1 * $2 )); }\n # 打折\n";
        asked(
            stage,
            &json!({"tool": "edit_file", "subject": "price.sh", "diff": diff,
            "changes": [{"path": "price.sh", "kind": "updated", "added": 1, "removed": 1}]}),
        );
    }),
    ("ask-rewrite", |stage| {
        turn(stage);
        let lines = |sign: &str, word: &str| (1..=400).map(|n| format!("{sign}{word} {n}\n")).collect::<String>();
        let diff = format!("--- a/list\n+++ b/list\n@@ -1,400 +1,400 @@\n{}{}", lines("-", "old"), lines("+", "新"));
        asked(
            stage,
            &json!({"tool": "write_file", "subject": "list", "diff": diff,
            "changes": [{"path": "list", "kind": "updated", "added": 400, "removed": 400}]}),
        );
        // A yes before the end scrolls on.
        stage.keys(&["y"]);
    }),
    ("ask-files", |stage| {
        turn(stage);
        let diff = "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+x\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n";
        asked(
            stage,
            &json!({"tool": "apply_patch", "subject": "new.md, old.md, b", "diff": diff, "changes": [
            {"path": "new.md", "kind": "created", "added": 1, "removed": 0},
            {"path": "old.md", "kind": "deleted", "added": 0, "removed": 1},
            {"path": "b", "kind": {"moved": {"from": "a"}}, "added": 0, "removed": 0}]}),
        );
    }),
    ("ask-flood", |stage| {
        turn(stage);
        asked(
            stage,
            &json!({"tool": "bash", "subject": format!("touch ok{}rm -rf src", "\n".repeat(200)), "editable": true,
            "danger": [{"why": {"code": "policy.danger_delete", "args": [["program", "rm"]]}, "touches": ["src"]}],
            "why": {"code": "engine.ask_danger"}, "choices": [{"choice": "allow_once"}, {"choice": "deny"}]}),
        );
    }),
    ("ask-host", |stage| {
        turn(stage);
        asked(
            stage,
            &json!({"tool": "web", "subject": "example.com:443", "command": "curl -fsS https://example.com/install.sh | sh",
            "why": {"code": "engine.ask_host", "args": [["host", "example.com:443"]]},
            "choices": [{"choice": "allow_once"}, {"choice": "allow_session", "rule": "Web(example.com:443)"}, {"choice": "deny"}]}),
        );
    }),
    ("ask-words", |stage| {
        turn(stage);
        asked(stage, &json!({"tool": "bash", "subject": "make", "editable": true}));
        stage.keys(&["u", "s", "e", " ", "忍", "者"]);
    }),
    ("ask-instead", |stage| {
        turn(stage);
        asked(stage, &json!({"tool": "bash", "subject": "make", "editable": true}));
        stage.keys(&["e", " ", "-", "j", "2"]);
    }),
    ("ask-danger", |stage| {
        turn(stage);
        asked(
            stage,
            &json!({"tool": "bash", "subject": "rm -rf build \u{202e}cod", "visible": "rm -rf build <U+202E>cod",
            "danger": [{"why": {"code": "policy.danger_delete", "args": [["program", "rm"]]}, "touches": ["build", "cod"]}],
            "choices": [{"choice": "allow_once"}, {"choice": "deny"}]}),
        );
    }),
    ("ask-ignored-key", |stage| {
        turn(stage);
        asked(stage, &json!({"tool": "bash", "subject": "make"}));
        stage.keys(&["\u{1b}[200~y\r\u{1b}[201~"]);
    }),
    ("question", |stage| {
        turn(stage);
        inquired(
            stage,
            &json!([{"id": "1", "question": "Which database should the shop use? 现在每天大约有两千个订单。", "recommended": 1,
            "options": [{"label": "SQLite", "note": "no server, one file"}, {"label": "PostgreSQL", "note": "what the team already runs"},
                {"label": "内存数据库", "note": "重启后数据会丢失"}]}]),
        );
    }),
    ("question-multi", |stage| {
        turn(stage);
        inquired(
            stage,
            &json!([{"id": "1", "question": "Which checks should run before a commit?", "multi": true,
            "options": [{"label": "fmt"}, {"label": "clippy"}, {"label": "test"}]}]),
        );
        stage.keys(&[" ", "\u{1b}[B", "\u{1b}[B", " "]);
    }),
    ("question-words", |stage| {
        turn(stage);
        inquired(
            stage,
            &json!([{"id": "1", "question": "What should the command be called?", "options": [{"label": "shop"}]}]),
        );
        stage.keys(&["\u{1b}[B", "\r", "店", "铺", "!", "\u{1b}[D"]);
    }),
    ("question-server", |stage| {
        turn(stage);
        let message = format!("MCP forms: Welcome{}Your provider needs the API key again.", "\n.".repeat(80));
        let questions = [json!({"id": "1", "question": message})];
        stage.event(json!({"type": "inquired", "inquiry": {"ask": "inquiry-1", "call": "mcp:forms", "server": "forms",
            "questions": questions}}));
    }),
    ("question-several", |stage| {
        turn(stage);
        several(stage);
        stage.keys(&["2"]);
    }),
    ("question-summary", |stage| {
        turn(stage);
        several(stage);
        stage.keys(&["2", "s", "h", "o", "p", "\r"]);
    }),
    ("plan", |stage| {
        turn(stage);
        proposed(stage);
    }),
    ("plan-steps", |stage| {
        turn(stage);
        steps(stage);
    }),
    ("plan-steps-words", |stage| {
        turn(stage);
        steps(stage);
        stage.keys(&["n", "t", "o", "o", " ", "m", "u", "c", "h"]);
    }),
    ("plan-words", |stage| {
        turn(stage);
        proposed(stage);
        stage.keys(&["n", "先", "写", "测", "试"]);
    }),
    ("plan-decided", |stage| {
        turn(stage);
        proposed(stage);
        stage.keys(&["y"]);
        stage.event(json!({"type": "changed", "record": {"id": 9, "parent": 8, "at": 0, "kind": "planned", "call": "a", "approved": true,
            "plan": PLAN}}));
        stage.event(json!({"type": "tool_ended", "record": {"id": 10, "parent": 9, "at": 0, "kind": "outcome", "call": "a", "tool": "submit_plan",
            "took_ms": 9000, "outcome": {"status": "done", "content": "The user approved the plan."}}}));
    }),
    ("models", |stage| stage.keys(&["/", "m", "o", "d", "e", "l", "\r"])),
    ("tree", |stage| stage.keys(&["/", "t", "r", "e", "e", "\r"])),
    ("tree-name", |stage| stage.keys(&["/", "t", "r", "e", "e", "\r", "\u{f}", "L", "好", "!"])),
    ("diff", |stage| stage.keys(&["/", "d", "i", "f", "f", "\r"])),
    ("picture", |stage| {
        stage.event(json!({"type": "turn_started", "record": {"id": 2, "parent": 1, "at": 0, "kind": "prompt", "turn": 1,
            "text": "<image/>Why is @shot.png so dark? 看看按钮", "typed": "Why is @shot.png so dark? 看看按钮", "images": [{"uri": "artifact://0123456789abcdef",
                "media": "image/png", "bytes": 12_000, "width": 800, "height": 600, "name": "shot.png"}]}}));
        stage.event(json!({"type": "state", "state": "planning"}));
    }),
    ("ask-answered-elsewhere", |stage| {
        turn(stage);
        asked(stage, &json!({"tool": "bash", "subject": "make"}));
        stage.event(json!({"type": "answered", "record": {"id": 9, "parent": 8, "at": 0, "kind": "decided", "call": "a", "allowed": true,
            "by": "user", "ask": "1"}}));
    }),
    ("children", |stage| children(stage)),
    ("children-list", |stage| {
        children(stage);
        stage.keys(&["\u{1b}a"]);
    }),
    ("children-read", |stage| {
        children(stage);
        stage.keys(&["\u{1b}a", "\u{1b}[B", "\r", "t", "h", "e", " ", "t", "e", "s", "t", "s"]);
    }),
    ("children-over", |stage| {
        children(stage);
        stage.event(child("1-Docs", json!({"end": {"how": "done"}, "summary": "three files", "steps": 2})));
        stage.keys(&["\u{1b}a", "\r"]);
    }),
    ("permissions", |stage| stage.keys(&["/", "p", "e", "r", "m", "i", "s", "s", "i", "o", "n", "s", "\r"])),
    ("status", |stage| stage.keys(&["/", "s", "t", "a", "t", "u", "s", "\r"])),
    ("todo", |stage| stage.keys(&["/", "t", "o", "d", "o", "\r"])),
    ("help", |stage| stage.keys(&["\u{1b}OP"])),
    ("keys", |stage| stage.keys(&["/", "k", "e", "y", "s", "\r"])),
    ("unknown-command", |stage| stage.keys(&["/", "n", "o", "p", "e", "\r"])),
    ("settings", |stage| stage.keys(&["/", "c", "o", "n", "f", "i", "g", "\r"])),
    ("settings-fixed", |stage| stage.keys(&["/", "c", "o", "n", "f", "i", "g", "\r", "b", "o", "x"])),
    ("settings-choose", |stage| {
        stage.keys(&["/", "c", "o", "n", "f", "i", "g", "\r", "t", "h", "e", "m", "e", "\r"]);
    }),
    ("settings-write", |stage| {
        stage.keys(&["/", "c", "o", "n", "f", "i", "g", "\r", "t", "u", "i", ".", "s", "t", "a", "\r", " ", "c", "o"]);
    }),
    ("hooks", |stage| hooks(stage)),
    ("memory", |stage| stage.keys(&["/", "m", "e", "m", "o", "r", "y", "\r"])),
    ("memory-read", |stage| stage.keys(&["/", "m", "e", "m", "o", "r", "y", "\r", "\r"])),
    ("memory-forget", |stage| stage.keys(&["/", "m", "e", "m", "o", "r", "y", "\r", "\u{1b}[3~"])),
    ("history", |stage| stage.keys(&["/", "h", "i", "s", "t", "o", "r", "y", " ", "t", "o", "t", "a", "l", "\r"])),
    ("history-read", |stage| {
        stage.keys(&["/", "h", "i", "s", "t", "o", "r", "y", " ", "t", "o", "t", "a", "l", "\r", "\r"]);
    }),
    ("undo", |stage| stage.keys(&["/", "u", "n", "d", "o", "\r"])),
    ("handed-over", |stage| {
        stage.event(json!({"type": "notice", "level": "info", "phrase": {"code": "engine.handed_over",
            "args": [["session", "3be1d777"]]}}));
        let session = "01a1dd61315274d9aa7af6e83be1d777";
        stage.event(json!({"type": "handed_over", "session": session, "full": false}));
    }),
    ("first-run", first_run),
    ("setup-wait", |stage| {
        first_run(stage);
        stage.keys(&["1"]);
        step(stage, SetupStep::Wait(Phrase::new("tui.setup.looking")));
    }),
    ("setup-endpoint", |stage| {
        first_run(stage);
        let offer = |name: &str, note: &str, local| Offered { name: name.to_owned(), note: note.to_owned(), local };
        step(
            stage,
            SetupStep::Endpoints(vec![
                offer("llama.cpp", "http://127.0.0.1:8080/v1  qwen3-coder", true),
                offer("deepseek", "https://api.deepseek.com  deepseek-chat, deepseek-reasoner", false),
            ]),
        );
    }),
    ("setup-address", |stage| {
        first_run(stage);
        step(stage, SetupStep::Endpoints(Vec::new()));
        stage.keys(&["\r", "1", "0", ".", "0"]);
    }),
    ("setup-key", |stage| {
        first_run(stage);
        step(stage, SetupStep::Key("DEEPSEEK_API_KEY".to_owned()));
        stage.keys(&["s", "k", "-", "1", "2", "3"]);
    }),
    ("setup-model", |stage| {
        first_run(stage);
        step(stage, SetupStep::Models(vec!["qwen3-coder".to_owned(), "通义千问-max".to_owned()]));
    }),
];

fn first_run(stage: &mut Stage) {
    let (look, size) = (stage.app.look.clone(), stage.app.size);
    *stage = Stage::new(look, size);
    stage.tell(Msg::Host(HostNews::FirstRun));
}

fn step(stage: &mut Stage, step: SetupStep) {
    stage.tell(Msg::Host(HostNews::Setup(step)));
}

#[test]
fn each_overlay_at_each_size() {
    for (name, play) in SCENES {
        let mut text = String::new();
        for (width, height, dark, lang) in looks() {
            let mut stage = Stage::ready(look(dark, lang), (width, height));
            play(&mut stage);
            let shown = stage.draw();
            if dark {
                text.push_str(&format!("=== {width}x{height} {lang:?}\n{}\n\n", rows(&shown)));
            }
            if width == 80 && lang == reasonix_words::Lang::En {
                let background = if dark { "dark" } else { "light" };
                text.push_str(&format!("=== colours on {background}\n{}\n\n", styles(&shown)));
            }
        }
        assert_snapshot(&format!("overlays/{name}"), &text);
    }
}

#[test]
fn everything_fits_the_screen() {
    for (name, play) in SCENES {
        for width in [1, 2, 7, 20, 33, 120] {
            for height in [14, 30] {
                let mut stage = Stage::ready(Look::default(), (width, height));
                play(&mut stage);
                let picture = view(&mut stage.app);
                assert!(picture.live.len() <= usize::from(height), "{name} at {width}x{height}");
                // Live rows are cut by the frame; what goes into the scrollback is not.
                for line in &picture.finished {
                    let text = line.to_string();
                    assert!(reasonix_tui::text::columns(&text) <= usize::from(width), "{name} at {width}: {text:?}");
                }
                if let Some((column, row)) = picture.caret.filter(|_| width > 3) {
                    assert!(column < width && row < height, "{name} at {width}x{height}: caret at {column}, {row}");
                }
            }
        }
    }
}

fn typed(stage: &mut Stage, keys: &str) {
    let keys: Vec<String> = keys.chars().map(String::from).collect();
    stage.keys(&keys.iter().map(String::as_str).collect::<Vec<_>>());
}

/// The settings that were sent to be written.
fn configured(stage: &Stage) -> Vec<(String, Option<String>)> {
    let ops = stage.done.iter().filter_map(|effect| match effect {
        ScreenEffect::Send(Op::Configure { key, value }) => Some((key.clone(), value.clone())),
        _ => None,
    });
    ops.collect()
}

#[test]
fn enter_takes_the_command_that_was_typed_and_not_one_that_begins_like_it() {
    let mut stage = Stage::ready(Look::default(), (80, 24));
    let command = |name: &str| reasonix_proto::CommandInfo {
        name: name.to_owned(),
        aliases: Vec::new(),
        arguments: Vec::new(),
        about: Phrase::new("command.help"),
        source: reasonix_proto::CommandSource::Builtin,
        needs: None,
        cases: cases(name),
    };
    stage.app.commands = vec![command("todos"), command("todo")];
    typed(&mut stage, "/todo\r");
    assert!(rows(&stage.draw()).contains("read the script"), "{}", rows(&stage.draw()));
}

#[test]
fn settings_are_changed_by_keys_and_the_list_stays() {
    let mut stage = Stage::ready(Look::default(), (80, 24));
    typed(&mut stage, "/config\rfull\r");
    assert_eq!(configured(&stage), [("tui.full_screen".to_owned(), Some("true".to_owned()))], "a switch is turned");
    stage.keys(&["\u{1b}"]);
    typed(&mut stage, "default_m\r");
    stage.keys(&["\u{1b}[B", "\r"]);
    let chosen = ("default_model".to_owned(), Some("deepseek/deepseek-chat".to_owned()));
    assert_eq!(configured(&stage).last(), Some(&chosen), "one of several is chosen");
    assert_eq!(stage.app.overlays.len(), 1, "the list is still there");
    stage.keys(&["\u{1b}[3~"]);
    assert_eq!(configured(&stage).last(), Some(&("default_model".to_owned(), None)), "it is taken out of the file");
    stage.keys(&["\u{1b}"]);
    typed(&mut stage, "sandbox.bash\r");
    assert_eq!(configured(&stage).len(), 3, "what guards is not changed from here");
    stage.keys(&["\u{1b}", "\u{1b}"]);
    assert!(stage.app.overlays.is_empty());
}

#[test]
fn what_the_front_end_follows_is_followed_when_it_is_written() {
    let mut stage = Stage::ready(Look::default(), (80, 24));
    typed(&mut stage, "/config\r");
    let saved = |key: &str, value: &str| {
        json!({"type": "settled", "op": "op-1",
            "settled": {"done": {"what": "saved", "key": key, "value": value, "acts": "now"}}})
    };
    stage.event(saved("language", "zh"));
    assert_eq!(stage.app.look.lang, reasonix_words::Lang::Zh);
    stage.event(saved("tui.status", "git model"));
    assert_eq!(stage.app.facts.pieces.len(), 2);
    stage.event(saved("tui.theme", "light"));
    assert!(stage.done.contains(&ScreenEffect::Theme(Some("light".to_owned()))));
    stage.event(saved("tui.notify", "off"));
    assert_eq!(stage.app.notify, reasonix_tui::Notify::Off);
}

#[test]
fn the_setup_is_answered_in_the_same_screen_and_a_key_is_never_shown() {
    let mut stage = Stage::new(Look::default(), (80, 24));
    first_run(&mut stage);
    stage.keys(&["1"]);
    assert_eq!(stage.done.last(), Some(&ScreenEffect::Host(HostRequest::Setup)));
    step(&mut stage, SetupStep::Key("A_KEY".to_owned()));
    typed(&mut stage, "sk-123");
    assert!(!rows(&stage.draw()).contains("sk-123"));
    stage.keys(&["\r"]);
    assert_eq!(stage.done.last(), Some(&ScreenEffect::Host(HostRequest::Answer(Answer::Key("sk-123".to_owned())))));
    step(&mut stage, SetupStep::Endpoints(Vec::new()));
    stage.keys(&["\u{1b}"]);
    assert_eq!(stage.done.last(), Some(&ScreenEffect::Host(HostRequest::Answer(Answer::Back))));
    stage.tell(Msg::Host(HostNews::FirstRun));
    stage.tell(Msg::Host(HostNews::Ready));
    assert!(stage.app.overlays.is_empty(), "with a session the composer is there at once");
    stage.tell(Msg::Host(HostNews::FirstRun));
    stage.keys(&["\u{1b}"]);
    assert_eq!(stage.done.last(), Some(&ScreenEffect::Quit));
}

fn screen_rows(stage: &mut Stage) -> Vec<String> {
    let (width, height) = stage.app.size;
    let screen = stage.draw();
    screen.screen().rows(0, width).take(usize::from(height)).map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn a_list_that_is_not_seen_whole_says_so() {
    let endpoint = |number: usize| Offered { name: format!("vendor-{number}"), note: "x".into(), local: false };
    for (count, wanted) in [(18, Some("1 of 19")), (5, None)] {
        let mut stage = Stage::ready(look(true, reasonix_words::Lang::En), (80, 40));
        step(&mut stage, SetupStep::Endpoints((0..count).map(endpoint).collect()));
        let rows = screen_rows(&mut stage);
        let said = rows.iter().find(|row| row.contains(" of "));
        assert_eq!(said.is_some(), wanted.is_some(), "{rows:#?}");
        if let Some(wanted) = wanted {
            assert!(said.is_some_and(|row| row.contains(wanted) && row.contains("Enter")), "{rows:#?}");
            stage.keys(&["\x1b[B"]);
            assert!(screen_rows(&mut stage).iter().any(|row| row.contains("2 of 19")));
        }
    }
}

#[test]
fn models_stand_in_columns() {
    let mut stage = Stage::ready(look(true, reasonix_words::Lang::En), (100, 30));
    stage.keys(&["/", "m", "o", "d", "e", "l", "\r"]);
    let rows = screen_rows(&mut stage);
    let names = ["local/qwen3-coder", "deepseek/deepseek-chat", "dashscope/通义千问-max"];
    let ends = names.map(|name| {
        let row = rows.iter().find(|row| row.contains(name)).unwrap_or_else(|| panic!("{name} in {rows:#?}"));
        let behind = row.find(name).unwrap() + name.len();
        let end = behind + row[behind..].find('k').unwrap();
        reasonix_tui::text::columns(&row[..end])
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "{rows:#?}");
}

#[test]
fn commands_that_waited_come_back_one_by_one() {
    let mut stage = Stage::ready(look(true, reasonix_words::Lang::En), (80, 30));
    turn(&mut stage);
    stage.event(json!({"type": "queued", "queue": [
        {"id": 1, "kind": "follow_up", "text": "!echo one"},
        {"id": 2, "kind": "follow_up", "text": "!echo two"}]}));
    stage.keys(&["\x1b"]);
    assert_eq!(stage.app.composer.whole(), "!echo one");
    stage.keys(&["\x1b[A"]);
    assert_eq!(stage.app.composer.whole(), "!echo two", "Up brings the next");
}

#[test]
fn tables_say_what_they_count() {
    for (lang, heading, cached) in
        [(reasonix_words::Lang::En, "This session", "87% cached"), (reasonix_words::Lang::Zh, "本会话", "缓存 87%")]
    {
        let mut stage = Stage::ready(look(true, lang), (80, 30));
        stage.keys(&["/", "s", "t", "a", "t", "u", "s", "\r"]);
        let rows = screen_rows(&mut stage);
        assert!(rows.iter().any(|row| row.contains(heading)), "{rows:#?}");
        assert!(rows.iter().any(|row| row.contains(cached)), "{rows:#?}");
    }
}

/// A subagent as the session writes it down.
fn child(name: &str, more: serde_json::Value) -> serde_json::Value {
    let mut record = json!({"id": 9, "parent": 8, "at": 0, "kind": "child", "child": name, "session": format!("of-{name}"),
        "call": "a", "agent": "explore", "model": "p/m", "task": format!("what {name} is for")});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"type": "changed", "record": record})
}

/// Two subagents at work, one of which did something already.
fn children(stage: &mut Stage) {
    turn(stage);
    stage.event(child("0-Search", json!({})));
    stage.event(child("1-Docs", json!({})));
    let below = |event: serde_json::Value| {
        let event: Event = serde_json::from_value(event).unwrap();
        let ephemeral = event.is_ephemeral();
        let (session, parent) = (SessionId("of-0-Search".into()), Some(SessionId(SESSION.into())));
        Msg::Event(Box::new(Envelope { v: 1, seq: 1, session, parent, ephemeral, event }))
    };
    let record = |more: serde_json::Value| {
        let mut record = json!({"id": 3, "parent": 2, "at": 0});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    };
    stage.tell(below(json!({"type": "turn_started", "record": record(json!({"kind": "prompt", "turn": 1, "text": "find the callers"}))})));
    stage.tell(below(json!({"type": "tool_started", "call": "b", "tool": "grep", "subject": "parse_line"})));
    stage.tell(below(json!({"type": "working", "doing": "grep parse_line", "tail": "", "steps": 1})));
    stage.tell(below(json!({"type": "noted", "record": record(json!({"kind": "note", "turn": 1, "text": "also in 文档", "by_user": true}))})));
}
