//! `sterna pack`: a checkpoint becomes one memory-mapped file.

use std::path::PathBuf;
use std::process::ExitCode;

use sterna_bundle::{AssistantHead, PackOptions, Quantise, TernaryPolicy, pack};

use super::output::say;
use super::{Outcome, output, signals};
use crate::cli::PackArgs;
use crate::engine::open_model;

/// Runs the command.
pub fn main(args: &PackArgs) -> Outcome {
    let mut model = open_model(Some(&args.source))?;
    let stem: String =
        model.name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect();
    let dest = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.sterna")));
    if dest.exists() && !args.force {
        return Err(format!("{} exists; --force replaces it, -o names another file", dest.display()).into());
    }
    // Only a plain file may be replaced: a rename over a device, a link or a folder would do harm.
    if std::fs::symlink_metadata(&dest).is_ok_and(|m| !m.is_file()) {
        return Err(format!("{} is not a plain file; -o names another one", dest.display()).into());
    }
    let same =
        |a: &std::path::Path| dest.canonicalize().is_ok_and(|d| a.canonicalize().is_ok_and(|a| a == d));
    if same(&args.source) {
        return Err(format!("{} is the source itself; -o names another file", dest.display()).into());
    }
    // Nor any file that the source is made of.
    let inside = |folder: &std::path::Path| {
        let (file, folder) = (dest.canonicalize(), folder.canonicalize());
        file.is_ok_and(|file| folder.is_ok_and(|folder| folder.is_dir() && file.starts_with(folder)))
    };
    if inside(&args.source) {
        return Err(format!("{} is a file of the source; -o names another one", dest.display()).into());
    }
    if let Some(linears) = args.linears {
        let how = linears.quantise();
        // A head that is asked for by name is encoded from its floats, not from another encoding.
        let head = how.head.filter(|_| args.head.is_none());
        model.quantise(&Quantise { head, keep: args.keep.clone(), ..how })?;
    }
    let mut drafter = None;
    if let Some(folder) = &args.draft {
        if inside(folder) || same(folder) {
            return Err(format!("{} is a file of the drafter; -o names another one", dest.display()).into());
        }
        let mut head = AssistantHead::open(folder, &model.config)?;
        if let Some(linears) = args.draft_linears {
            head.quantise(linears.quantise().linears)?;
        }
        drafter = Some(head);
    }
    // Half a bundle is of no use to anybody.
    if let Some(part) = sterna_bundle::temporary(&dest) {
        signals::before_the_end(move || drop(std::fs::remove_file(&part)))?;
    }
    let bar = output::bytes_bar("packing", args.json);
    let report = pack(
        &model,
        &dest,
        PackOptions {
            ternary: if args.round { TernaryPolicy::Round } else { TernaryPolicy::Exact },
            keep: args.keep.clone(),
            head: args.head.and_then(|h| h.0),
            embedding: args.embedding.0,
            untie: args.untie,
            drafter: drafter.as_ref(),
            progress: &mut |done, total| {
                bar.set_length(total);
                bar.set_position(done);
            },
        },
    );
    bar.finish_and_clear();
    let report = report?;
    let before: u64 = report.tensors.iter().map(|t| t.bytes_before).sum();
    if args.json {
        let tensors = report.tensors.iter().map(|t| {
            serde_json::json!({
                "name": t.name, "from": t.from.name(), "to": t.to.name(),
                "bytes_before": t.bytes_before, "bytes_after": t.bytes_after, "residual": t.residual,
            })
        });
        let tensors: Vec<_> = tensors.collect();
        say!(
            "{}",
            serde_json::json!({
                "file": dest, "file_bytes": report.file_bytes, "source_bytes": before,
                "worst_residual": report.worst_residual(), "quantised": report.quantised, "tensors": tensors,
            })
        );
        return Ok(ExitCode::SUCCESS);
    }
    say!(
        "{}: {} from {} of weights in {} tensors",
        dest.display(),
        output::megabytes(report.file_bytes),
        output::megabytes(before),
        report.tensors.len()
    );
    let quantised = |t: &sterna_bundle::PackedTensor| {
        args.linears.is_some() && Quantise::ENCODINGS.contains(&t.to) && t.from.is_float()
    };
    let table =
        |t: &sterna_bundle::PackedTensor| t.from != t.to && matches!(t.name.as_str(), "head" | "embed");
    for t in report.tensors.iter().filter(|t| table(t) && args.linears.is_none()) {
        say!(
            "{}: {} to {}, {} to {}, lost {:.2} % (root mean square); `sterna gate --against` tells what that changes",
            t.name,
            t.from,
            t.to,
            output::megabytes(t.bytes_before),
            output::megabytes(t.bytes_after),
            t.residual * 100.0
        );
    }
    if args.linears.is_some() {
        output::quantised(&report.quantised)?;
        say!("`sterna gate --against` (or `gate quality`) tells what that changes");
    }
    let (drafts, own): (Vec<_>, Vec<_>) =
        report.tensors.iter().partition(|t| t.name.starts_with("assistant."));
    if !drafts.is_empty() {
        let [before, after] = [
            |t: &sterna_bundle::PackedTensor| t.bytes_before,
            |t: &sterna_bundle::PackedTensor| t.bytes_after,
        ]
        .map(|f| output::megabytes(drafts.iter().map(|t| f(t)).sum()));
        let worst = drafts.iter().map(|t| t.residual).fold(0.0, f64::max);
        say!(
            "with a drafter of {after} from {before}, whose worst matrix lost {:.2} %; no text depends on it",
            worst * 100.0
        );
    }
    let others = own.into_iter().filter(|t| !table(t) && !quantised(t));
    match others.map(|t| t.residual).fold(0.0, f64::max) {
        0.0 if report.worst_residual() == 0.0 => say!("every weight is exactly the source's"),
        0.0 => say!("every other weight is exactly the source's"),
        worst => say!(
            "rounded: the worst tensor lost {:.2} % (root mean square); expect worse answers",
            worst * 100.0
        ),
    }
    let made_ternary = |t: &sterna_bundle::PackedTensor| {
        t.from.is_float() && matches!(t.to, sterna_format::Encoding::Ternary(_))
    };
    if report.tensors.iter().any(made_ternary) {
        say!(
            "layers that became ternary now meet int8 activations; logits differ slightly from the float checkpoint's"
        );
    }
    Ok(ExitCode::SUCCESS)
}
