//! Which bytes go where. A [`Template`] is compiled per pair of ranks; applied to a chunk it gives a [`Plan`]: strided
//! [`Extent`]s per geometry class × the list of entry pairs of that class, never materialised per entry.

mod compile;
mod error;
mod extent;
mod instantiate;
mod template;

pub use compile::{Facets, compile};
pub use error::PlanError;
pub use extent::{Axis, Extent, MAX_AXES, Run};
pub use instantiate::{Chunk, Group, Plan, SpacePages};
pub use template::{ClassSide, RegionPair, Template, TemplateClass, TemplateDigest};
