//! Converts results to JSON reports.

use portolan_wire::atlas_report::{
    AtlasChartV1, AtlasDependenceV1, AtlasFindV1, AtlasLookV1, AtlasPlaceV1, AtlasProviderV1,
    AtlasRepositoryV1, AtlasUseV1, AtlasUserV1,
};

use crate::{AtlasChart, FindInAtlas, LookInAtlas, Provider, UserRepository};

impl LookInAtlas {
    /// The JSON report.
    pub fn to_wire(&self) -> AtlasLookV1 {
        AtlasLookV1 {
            v: 1,
            target: self.target.clone(),
            modules: self.modules.clone(),
            providers: self.providers.iter().map(provider).collect(),
            passed_on: self.passed_on.clone(),
            users: self.users.iter().map(user).collect(),
            searched: self.searched,
        }
    }
}

fn provider(it: &Provider) -> AtlasProviderV1 {
    let declarations = it.declarations.iter().map(|(path, line, head)| AtlasPlaceV1 {
        path: path.clone(),
        line: *line,
        head: head.clone(),
    });
    AtlasProviderV1 {
        repository: it.repository.clone(),
        package: it.package.clone(),
        version: it.version.clone(),
        path: it.path.clone(),
        exports: it.exports,
        declarations: declarations.collect(),
    }
}

fn user(it: &UserRepository) -> AtlasUserV1 {
    let uses = it.uses.iter().map(|line| AtlasUseV1 {
        path: line.path.clone(),
        line: line.line,
        name: line.name.clone(),
        declaration: line.declaration.clone(),
        certainty: if line.is_exact { "exact" } else { "likely" },
    });
    AtlasUserV1 {
        repository: it.repository.clone(),
        requirements: it.requirements.clone(),
        files: it.files.clone(),
        uses: uses.collect(),
    }
}

impl FindInAtlas {
    /// The JSON report.
    pub fn to_wire(&self) -> AtlasFindV1 {
        let (found, searched) = (self.found.clone(), self.searched);
        AtlasFindV1 { v: 1, exact: self.is_exact, found, searched }
    }
}

impl AtlasChart {
    /// The JSON report.
    pub fn to_wire(&self) -> AtlasChartV1 {
        let repositories = self.repositories.iter().map(|it| AtlasRepositoryV1 {
            id: it.id.clone(),
            commit: it.commit.clone(),
            files: it.files,
            packages: it.packages.clone(),
            uses: it
                .uses
                .iter()
                .map(|other| AtlasDependenceV1 {
                    repository: other.repository.clone(),
                    modules: other.modules.clone(),
                })
                .collect(),
            used_by: it.used_by.clone(),
        });
        AtlasChartV1 {
            v: 1,
            repositories: repositories.collect(),
            ambiguous: self.ambiguous.clone(),
        }
    }
}
