//! How long it takes to find 100 skills and 500 commands: the median of 50 looks, in microseconds.
#![allow(clippy::print_stdout, reason = "it is run by hand, to be read")]

use reasonix_extensions::{ExtensionPlaces, Shelf};
use std::path::Path;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let root = std::env::temp_dir().join(format!("reasonix-measure-{}", std::process::id()));
    for number in 0..100 {
        let text = "---\nname: NAME\ndescription: \"Does things: many of them.\"\n---\n"
            .replace("NAME", &format!("s{number}"));
        write(
            &root.join(format!(".reasonix/skills/s{number}/SKILL.md")),
            &(text + &"A line of the body.\n".repeat(200)),
        )?;
    }
    for number in 0..500 {
        let text = "---\ndescription: Does one thing.\n---\nDo it with $ARGUMENTS.\n";
        write(&root.join(format!(".reasonix/commands/group{}/c{number}.md", number % 10)), text)?;
    }
    let places = ExtensionPlaces { project: root.clone(), home: root.join("home"), ..ExtensionPlaces::default() };
    let shelf = Shelf::new(places, |_| false);
    let median = |look: &dyn Fn() -> usize| {
        let mut times: Vec<(u128, usize)> = (0..50)
            .map(|_| {
                let begun = Instant::now();
                let count = look();
                (begun.elapsed().as_micros(), count)
            })
            .collect();
        times.sort_unstable();
        times.get(25).copied().unwrap_or_default()
    };
    let (skills, count) = median(&|| shelf.skills_now().skills.len());
    println!("{count} skills: {skills} µs");
    let (commands, count) = median(&|| shelf.commands_now().commands.len());
    println!("{count} commands: {commands} µs");
    std::fs::remove_dir_all(root)
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
