//! Tests the resolution of imports in languages other than TypeScript, as tables of small
//! repositories.

mod c;
mod csharp;
mod declarations;
mod go;
mod installed;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
