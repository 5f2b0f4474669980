//! The config files of one run: those of the repository, with what the command line changes.

use super::{DemoArgs, DemoError};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What the command line asks for, made concrete.
#[derive(Clone, Debug)]
pub(super) struct Geometry {
    pub model: PathBuf,
    pub tokens: u64,
    pub dcp: u32,
    /// Layers of the target model.
    pub layers: u32,
}

impl Geometry {
    pub(super) fn of(args: &DemoArgs) -> Result<Self, DemoError> {
        let model = args.model.clone().unwrap_or_else(|| root().join("models/deepseek-v3.json"));
        let model = model.canonicalize().map_err(|e| config(&model, e))?;
        let text = std::fs::read_to_string(&model).map_err(|e| config(&model, e))?;
        let fields: serde_json::Value = serde_json::from_str(&text).map_err(|e| config(&model, e))?;
        let default = if fields.get("kv_lora_rank").is_some() { 4 } else { 1 };
        let layers =
            fields.get("num_hidden_layers").and_then(serde_json::Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let layers = layers.ok_or_else(|| config(&model, "num_hidden_layers is missing"))?;
        Ok(Self { model, tokens: args.tokens, dcp: args.dcp.unwrap_or(default), layers })
    }
}

/// Paths of the files that the processes read. The folder goes when this is dropped.
#[derive(Debug)]
pub(super) struct Configs {
    _folder: Folder,
    pub prefill: PathBuf,
    pub decode: PathBuf,
    pub clash: PathBuf,
    pub prefill_hisparse: PathBuf,
    pub decode_hisparse: PathBuf,
}

impl Configs {
    pub(super) fn derive(geometry: &Geometry) -> Result<Self, DemoError> {
        let folder = Folder::new()?;
        let model = Some(geometry.model.as_path());
        Ok(Self {
            prefill: folder.derive("prefill.toml", model, 1, geometry.tokens)?,
            decode: folder.derive("decode.toml", model, geometry.dcp, geometry.tokens)?,
            clash: root().join("examples/demo/decode-clash.toml"),
            prefill_hisparse: folder.derive("prefill-hisparse.toml", None, 1, geometry.tokens)?,
            decode_hisparse: folder.derive("decode-hisparse.toml", None, 1, geometry.tokens)?,
            _folder: folder,
        })
    }
}

/// The repository that this binary was built from.
pub(super) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, DemoError> {
        let path = std::env::temp_dir().join(format!("kvferry-demo-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| config(&path, e))?;
        Ok(Self(path))
    }

    /// Writes the repository's file with absolute paths, this model, DCP size and room for one prompt and a half.
    fn derive(&self, name: &str, model: Option<&Path>, dcp: u32, tokens: u64) -> Result<PathBuf, DemoError> {
        let source = root().join("examples/demo").join(name);
        let text = std::fs::read_to_string(&source).map_err(|e| config(&source, e))?;
        let mut file: Table = text.parse().map_err(|e| config(&source, e))?;
        let instance = section(&mut file, "instance", &source)?;
        let size = Value::from(i64::from(dcp));
        instance
            .insert("parallel".into(), Table::from_iter([("tp".into(), size.clone()), ("dcp".into(), size)]).into());
        let layout = section(&mut file, "layout", &source)?;
        let page = layout.get("page_size").and_then(Value::as_integer).and_then(|p| u64::try_from(p).ok());
        let page = page.ok_or_else(|| config(&source, "layout.page_size is missing"))?;
        let pages = tokens.div_ceil(page * u64::from(dcp));
        let pages = i64::try_from(pages + pages / 2 + 2).map_err(|e| config(&source, e))?;
        layout.insert("pages".into(), pages.into());
        let named = layout.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
        let model = model.map_or_else(|| source.with_file_name(named), Path::to_path_buf);
        layout.insert("model".into(), model.to_string_lossy().into_owned().into());
        let path = self.0.join(name);
        std::fs::write(&path, file.to_string()).map_err(|e| config(&path, e))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing depends on the folder being gone.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn section<'a>(file: &'a mut Table, name: &str, path: &Path) -> Result<&'a mut Table, DemoError> {
    file.get_mut(name).and_then(Value::as_table_mut).ok_or_else(|| config(path, format!("[{name}] is missing")))
}

fn config(path: &Path, problem: impl ToString) -> DemoError {
    DemoError::Config { path: path.into(), problem: problem.to_string() }
}
