//! Where imports of other languages than TypeScript lead, as tables of small repositories.

mod declarations;
mod go;
mod installed;
mod java;
mod kotlin;
mod python;
mod rust;
