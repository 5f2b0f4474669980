//! Planes: the strided arrays inside one page of an entry.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One strided array inside a page. The element of token row `t`, head `h`, dim `d` lies at
/// `offset + t·token_stride + (h − head.first)·head.stride + d·dim.stride`, all in bytes.
///
/// HND and NHD, an MLA latent, block scales and a transposed plane are just other strides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Plane {
    pub kind: PlaneKind,
    pub dtype: Dtype,
    pub offset: u64,
    pub token_stride: u64,
    pub head: HeadAxis,
    pub dim: DimAxis,
}

/// Heads of a plane on this rank. A latent or a scale without heads is one head of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HeadAxis {
    /// First head here, counted over the whole model.
    pub first: u32,
    pub count: u32,
    /// Heads of the whole model.
    pub total: u32,
    pub stride: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DimAxis {
    pub count: u32,
    pub stride: u64,
}

impl Plane {
    /// Rows one after another, each `heads × dims` elements: NHD, and an MLA latent with one head.
    pub fn rows(kind: PlaneKind, dtype: Dtype, head: (u32, u32, u32), dims: u32) -> Self {
        let (first, count, total) = head;
        let elem = dtype.size();
        let dim = DimAxis { count: dims, stride: elem };
        let head = HeadAxis { first, count, total, stride: elem * u64::from(dims) };
        Self { kind, dtype, offset: 0, token_stride: head.stride * u64::from(count), head, dim }
    }

    /// Heads outermost, each `page_rows × dims` elements: HND.
    pub fn heads_outer(kind: PlaneKind, dtype: Dtype, head: (u32, u32, u32), dims: u32, page_rows: u32) -> Self {
        let row = dtype.size() * u64::from(dims);
        let nhd = Self::rows(kind, dtype, head, dims);
        let head = HeadAxis { stride: row * u64::from(page_rows), ..nhd.head };
        Self { token_stride: row, head, ..nhd }
    }

    /// Tokens innermost, as vLLM's CPU cache holds K: `heads × dims × page_rows`.
    pub fn transposed(kind: PlaneKind, dtype: Dtype, head: (u32, u32, u32), dims: u32, page_rows: u32) -> Self {
        let elem = dtype.size();
        let run = elem * u64::from(page_rows);
        let nhd = Self::rows(kind, dtype, head, dims);
        let head = HeadAxis { stride: run * u64::from(dims), ..nhd.head };
        Self { token_stride: elem, head, dim: DimAxis { count: dims, stride: run }, ..nhd }
    }

    pub fn at(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// Bytes of this plane that one token row has, all heads and dims.
    pub fn row_bytes(&self) -> u64 {
        self.dtype.size() * u64::from(self.head.count) * u64::from(self.dim.count)
    }

    /// One past the last byte that `rows` token rows of this plane touch; `None` on overflow.
    pub fn end(&self, rows: u32) -> Option<u64> {
        let last = |count: u32, stride: u64| u64::from(count.checked_sub(1)?).checked_mul(stride);
        self.offset
            .checked_add(last(rows, self.token_stride)?)?
            .checked_add(last(self.head.count, self.head.stride)?)?
            .checked_add(last(self.dim.count, self.dim.stride)?)?
            .checked_add(self.dtype.size())
    }
}

/// What the numbers in a plane are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaneKind {
    K,
    V,
    /// An MLA latent: compressed keys and values in one row.
    Kv,
    /// Keys of a sparse-attention indexer.
    Index,
    /// Quantisation scales of the plane they stand beside.
    Scale,
}

impl fmt::Display for PlaneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::K => "k",
            Self::V => "v",
            Self::Kv => "kv",
            Self::Index => "index",
            Self::Scale => "scale",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    F32,
    F16,
    Bf16,
    #[serde(rename = "fp8_e4m3")]
    Fp8E4m3,
    #[serde(rename = "fp8_e5m2")]
    Fp8E5m2,
    U8,
}

impl Dtype {
    /// Bytes of one element.
    pub fn size(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Fp8E4m3 | Self::Fp8E5m2 | Self::U8 => 1,
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Fp8E4m3 => "fp8_e4m3",
            Self::Fp8E5m2 => "fp8_e5m2",
            Self::U8 => "u8",
        })
    }
}
