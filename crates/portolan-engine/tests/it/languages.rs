//! Where imports of other languages than TypeScript lead, as tables of small repositories.

mod declarations;
mod go;
mod java;
mod python;
mod rust;
