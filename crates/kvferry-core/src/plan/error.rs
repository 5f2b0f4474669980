//! Why a template cannot be compiled or a chunk not be planned. Everything is checked before a byte moves.

use crate::error::{Code, PluginFault};
use crate::layout::EntryKey;
use crate::topology::TopologyError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error(transparent)]
    Fault(#[from] PluginFault),
    #[error("policy {policy} refuses this pair: {reason}")]
    Refused { policy: String, reason: String },
    #[error(transparent)]
    Topology(#[from] TopologyError),
    #[error("{entry} has no counterpart on the {side}")]
    EntryMissing { entry: EntryKey, side: &'static str },
    #[error(
        "{entry}: {what} differ (source {source_value}, destination {destination_value}), and facet {facet} is `{shape}`; {usual_owner} would handle it"
    )]
    Difference {
        entry: EntryKey,
        what: &'static str,
        source_value: String,
        destination_value: String,
        facet: &'static str,
        shape: String,
        usual_owner: String,
    },
    #[error(
        "{entry}: {what} differ (source {source_value}, destination {destination_value}), which no relayout can mend"
    )]
    Incompatible { entry: EntryKey, what: &'static str, source_value: String, destination_value: String },
    #[error(
        "index space {space}: the first token of its page list is {first_token}, which is no multiple of its {page_tokens} tokens a page"
    )]
    Misaligned { space: String, first_token: u64, page_tokens: u32 },
    #[error(
        "index space {space}: tokens {first}..{end} need pages for {needed} tokens from {list_first} on, and the list covers {covered}"
    )]
    PagesShort { space: String, first: u64, end: u64, list_first: u64, needed: u64, covered: u64 },
    #[error("index space {space}: page {page} does not exist, there are {pages}")]
    PageOutside { space: String, page: u32, pages: u32 },
    #[error("index space {space}: {given} page lists given, {needed} needed")]
    Spaces { space: String, given: usize, needed: usize },
    #[error("token range {first}..{end} is not a range")]
    Range { first: u64, end: u64 },
    #[error("offsets of {0} overflow 64 bits")]
    Overflow(EntryKey),
}

impl PlanError {
    pub fn code(&self) -> Code {
        Code::new(match self {
            Self::Fault(fault) => return fault.code(),
            Self::Refused { .. } => "plan-refused",
            Self::Topology(_) => "plan-topology",
            Self::EntryMissing { .. } => "plan-entry-missing",
            Self::Difference { .. } => "plan-difference",
            Self::Incompatible { .. } => "plan-incompatible",
            Self::Misaligned { .. } => "plan-misaligned",
            Self::PagesShort { .. } => "plan-pages-short",
            Self::PageOutside { .. } => "plan-page-outside",
            Self::Spaces { .. } => "plan-spaces",
            Self::Range { .. } => "plan-range",
            Self::Overflow(_) => "plan-overflow",
        })
    }
}
