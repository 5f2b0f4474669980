//! Claims enforced where it counts: writing a facet of a template needs an [`Own`] token, reading it a [`See`] token,
//! and both carry the id of the check that gave them out.

use crate::check::Verdict;
use crate::claims::{Claim, ClaimRole};
use crate::error::{PluginFault, PluginFaultKind};
use crate::facet::{Facet, Shape};
use crate::layout::CacheLayout;
use crate::plan::{Facets, PlanError, Template, compile};
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Fills the facets it owns in the template of one pair of ranks. Placement policies are the same trait, registered
/// under another kind.
pub trait RelayoutPolicy: fmt::Debug + Send + Sync + 'static {
    /// The name it was registered under.
    fn name(&self) -> &str;

    /// Pure: the same pair and draft give the same writes. Called once a rank pair, at handshake, on both sides.
    ///
    /// # Errors
    /// [`PlanError::Refused`] where the pair cannot work; a fault of a token as the draft returns it.
    fn relayout(&self, pair: &RankPair<'_>, draft: &mut TemplateDraft) -> Result<(), PlanError>;
}

/// The layouts of the two ranks that a template is for.
#[derive(Clone, Copy, Debug)]
pub struct RankPair<'a> {
    pub source: &'a CacheLayout,
    pub destination: &'a CacheLayout,
}

/// A check without conflicts. Anyone may run one; a draft takes only the tokens of its own.
#[derive(Debug)]
pub struct Checked {
    id: u64,
    verdict: Verdict,
}

static NEXT_CHECK: AtomicU64 = AtomicU64::new(1);

impl Checked {
    /// # Errors
    /// The verdict itself, where it has conflicts.
    pub fn new(verdict: Verdict) -> Result<Self, Box<Verdict>> {
        if verdict.passes() {
            Ok(Self { id: NEXT_CHECK.fetch_add(1, Ordering::Relaxed), verdict })
        } else {
            Err(Box::new(verdict))
        }
    }

    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// What the named part may open. Empty for a part that was not checked.
    pub fn grants(&self, part: &str) -> Grants {
        let claims = self.verdict.parts.iter().find(|p| p.name == part).map(|p| p.claims.list.clone());
        Grants { check: self.id, part: part.into(), claims: claims.unwrap_or_default() }
    }

    pub fn draft(&self) -> TemplateDraft {
        TemplateDraft { check: self.id, values: BTreeMap::new() }
    }
}

/// Tokens for one part, taken while it is opened.
#[derive(Debug)]
pub struct Grants {
    check: u64,
    part: String,
    claims: Vec<Claim>,
}

impl Grants {
    pub fn part(&self) -> &str {
        &self.part
    }

    /// The right to write `F`, once. `None` where the part does not own it (in this check: a DCP of size 1 owns
    /// nothing).
    pub fn own<F: Facet>(&mut self) -> Option<Own<F>> {
        let at = self.position::<F>(|role| matches!(role, ClaimRole::Own(_)))?;
        let ClaimRole::Own(shapes) = self.claims.remove(at).role else { return None };
        Some(Own { check: self.check, part: self.part.clone(), shapes, facet: PhantomData })
    }

    /// The right to read `F`.
    pub fn see<F: Facet>(&self) -> Option<See<F>> {
        self.position::<F>(|role| matches!(role, ClaimRole::Read(_)))?;
        Some(See { check: self.check, part: self.part.clone(), facet: PhantomData })
    }

    /// As [`Grants::own`], for a part that cannot work without.
    ///
    /// # Errors
    /// [`PluginFaultKind::NotGranted`].
    pub fn require_own<F: Facet>(&mut self) -> Result<Own<F>, PluginFault> {
        self.own().ok_or_else(|| self.not_granted::<F>())
    }

    /// As [`Grants::see`], for a part that cannot work without.
    ///
    /// # Errors
    /// [`PluginFaultKind::NotGranted`].
    pub fn require_see<F: Facet>(&self) -> Result<See<F>, PluginFault> {
        self.see().ok_or_else(|| self.not_granted::<F>())
    }

    fn position<F: Facet>(&self, role: impl Fn(&ClaimRole) -> bool) -> Option<usize> {
        self.claims.iter().position(|c| c.facet.ty == Some(TypeId::of::<F>()) && role(&c.role))
    }

    fn not_granted<F: Facet>(&self) -> PluginFault {
        PluginFault::new(&self.part, PluginFaultKind::NotGranted { facet: F::NAME.into() })
    }
}

/// The right to write facet `F` with the claimed shapes.
pub struct Own<F: Facet> {
    check: u64,
    part: String,
    shapes: Vec<Shape>,
    facet: PhantomData<fn() -> F>,
}

/// The right to read facet `F`.
pub struct See<F: Facet> {
    check: u64,
    part: String,
    facet: PhantomData<fn() -> F>,
}

// A derive would demand `F: Debug` of every third party's facet.
impl<F: Facet> fmt::Debug for Own<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Own<{}>({})", F::NAME, self.part)
    }
}

impl<F: Facet> fmt::Debug for See<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "See<{}>({})", F::NAME, self.part)
    }
}

/// A template in the making: a value per facet that has been written.
pub struct TemplateDraft {
    check: u64,
    values: BTreeMap<&'static str, Box<dyn Any + Send + Sync>>,
}

impl fmt::Debug for TemplateDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TemplateDraft").field("check", &self.check).field("written", &self.values.keys()).finish()
    }
}

impl TemplateDraft {
    /// # Errors
    /// A fault that names the part, for a shape it did not claim, a token of another check, or a second write.
    pub fn write<F: Facet>(&mut self, own: &Own<F>, value: F::Value) -> Result<(), PlanError> {
        let facet = || F::NAME.to_string();
        let fault = |kind| Err(PlanError::Fault(PluginFault::new(&own.part, kind)));
        if own.check != self.check {
            return fault(PluginFaultKind::ForeignToken { facet: facet() });
        }
        if let Some(shape) = F::shapes(&value).into_iter().find(|s| !own.shapes.contains(s)) {
            return fault(PluginFaultKind::Unclaimed { facet: facet(), shape: shape.to_string() });
        }
        if self.values.contains_key(F::NAME) {
            return fault(PluginFaultKind::WrittenTwice { facet: facet() });
        }
        self.values.insert(F::NAME, Box::new(value));
        Ok(())
    }

    /// The value written by the owner, or the default.
    ///
    /// # Errors
    /// A fault for a token of another check.
    pub fn read<F: Facet>(&self, see: &See<F>) -> Result<F::Value, PlanError> {
        if see.check != self.check {
            let kind = PluginFaultKind::ForeignToken { facet: F::NAME.into() };
            return Err(PlanError::Fault(PluginFault::new(&see.part, kind)));
        }
        Ok(self.value::<F>())
    }

    /// Compiles the template from what the policies wrote.
    ///
    /// # Errors
    /// Why this pair of ranks cannot work; see [`PlanError`].
    pub fn compile(&self, pair: &RankPair<'_>) -> Result<Template, PlanError> {
        let facets = Facets {
            entries: self.value::<crate::facet::Entries>(),
            heads: self.value::<crate::facet::Heads>(),
            tokens: self.value::<crate::facet::Tokens>(),
            page: self.value::<crate::facet::Page>(),
            space: self.value::<crate::facet::Space>(),
        };
        compile(pair, &facets)
    }

    fn value<F: Facet>(&self) -> F::Value {
        self.values.get(F::NAME).and_then(|v| v.downcast_ref::<F::Value>()).cloned().unwrap_or_else(F::default_value)
    }
}
