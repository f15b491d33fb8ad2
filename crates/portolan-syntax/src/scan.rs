//! stub
use crate::recorder::Recorder;
pub(crate) fn record_import_statement(_offset: u32, _statement: &str, _recorder: &mut Recorder) {}
