//! Every code of kvferry with its story, for `kvferry explain` and the generated page `docs/errors.md`.

/// One code. `story` says what happened, why it is refused, and what to do.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    pub code: &'static str,
    pub title: &'static str,
    pub story: &'static str,
}

macro_rules! codes {
    ($($code:literal, $title:literal, $story:literal;)*) => {
        /// Sorted by area; unique, which a test asserts.
        pub const CODES: &[CodeInfo] = &[$(CodeInfo { code: $code, title: $title, story: $story }),*];
    };
}

codes! {
    "two-owners", "two parts own one facet",
        "A facet of the template may be written by one part only. Both parts want to decide the same aspect of the transfer; remove one of them.";
    "not-accepted", "a part produces a shape that another cannot work with",
        "One part (or the default, where nobody owns the facet) produces a shape that a reader of the facet does not accept. The transfer would put bytes where the reader does not expect them.";
    "facet-types-differ", "two types under one facet name",
        "Two plugins define different facets under one name. Rename one, with a vendor prefix.";
    "cycle", "parts wait for each other",
        "Owners of a facet run before its readers, and these parts read what the others own. Remove one of them.";
    "part-twice", "a part is named twice",
        "The same plugin stands twice in one pool. Keep one of the two.";
    "plugin-twice", "two plugins have one name",
        "Two crates linked into this binary register a plugin under the same name. Unlink or rename one.";
    "plugin-unknown", "no plugin has this name",
        "The name is misspelt, or names a plugin of a third party whose crate is not linked into this binary.";
    "plugin-not-linked", "a known plugin is not linked",
        "The plugin exists, but this binary was built without it. Enable the feature, or add the crate and use it.";
    "plugin-kind", "a plugin of another kind",
        "A connector stands where a policy belongs, or the other way round.";
    "config-value", "a plugin setting is unknown or has a wrong value",
        "The plugin does not know the key, or cannot use its value. `kvferry plugins NAME` prints what it takes.";
    "plugin-open", "a plugin could not be opened",
        "The plugin's own initialisation failed; its message says why.";
    "plugin-panic", "a plugin panicked",
        "The panic was caught and ended the request (or the assembly) it happened in. Report it to the plugin's author.";
    "plugin-unclaimed", "a plugin wrote what it did not claim",
        "The check admitted this plugin for the shapes it claims. It wrote another one, and was stopped before anything moved. Report it to the plugin's author.";
    "plugin-foreign-token", "a plugin used a token of another check",
        "Tokens open only the drafts of the check that gave them out. Report it to the plugin's author.";
    "plugin-written-twice", "a plugin wrote a facet twice",
        "Each facet of a template is written once. Report it to the plugin's author.";
    "plugin-not-granted", "a plugin asked for a facet it does not claim",
        "A plugin may only open what it claims. Report it to the plugin's author.";
    "transfer-deadline", "the deadline passed",
        "The request did not finish by its deadline. The failure names the phase it was in and the peer it waited for.";
    "transfer-aborted", "aborted",
        "One side gave the request up.";
    "transfer-abandoned", "a connector dropped a batch",
        "The connector neither finished nor failed the batch. Pages stay in quarantine because nobody can say that no byte moves.";
    "transfer-transport", "the transport failed",
        "A connection broke or could not be made. Requests of that peer fail, the peer is probed, and comes back by itself.";
    "transfer-window-refused", "a write outside the window was refused",
        "The peer accepts writes only into the pages it offered for this transfer.";
    "transfer-unknown", "unknown region, peer or window",
        "Something was named that is not registered, connected or offered (any more).";
    "transfer-registration", "a region could not be registered",
        "The memory cannot be used by this connector; the message names the region and why.";
    "transfer-unsupported", "the connector cannot do this",
        "The connector was asked for something it does not claim.";
    "transfer-shutdown", "the connector is shut down",
        "The node is going away.";
}

#[cfg(test)]
mod tests {
    use super::CODES;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_unique() {
        let mut seen = BTreeSet::new();
        for c in CODES {
            assert!(seen.insert(c.code), "{} stands twice", c.code);
        }
    }
}
