#!/usr/bin/env node
// Starts the binary that npm chose for this platform, and ends as it ends. Nothing is fetched.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const { name, optionalDependencies, version } = require('../package.json');

// The packages that may have the binary: of Linux one for each C library.
function candidates() {
  const base = `${process.platform}-${process.arch}`;
  const ends = process.platform === 'linux' ? [`${base}-gnu`, `${base}-musl`] : [base];
  const all = Object.keys(optionalDependencies);
  return ends.flatMap((end) => all.filter((name) => name.endsWith(`/${end}`)));
}

function binaryOf(candidate) {
  const file = process.platform === 'win32' ? 'portolan.exe' : 'portolan';
  try {
    return require.resolve(`${candidate}/bin/${file}`);
  } catch {
    return undefined;
  }
}

// Installers that do not know of `libc` bring both; only then it is worth asking which one this is.
function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

function find() {
  const found = candidates().map(binaryOf).filter(Boolean);
  return found.length > 1 && isMusl() ? found[1] : found[0];
}

function fail(...lines) {
  console.error(lines.join('\n'));
  process.exit(1);
}

const binary = find();
if (binary === undefined) {
  const wanted = candidates();
  if (wanted.length === 0) {
    fail(
      `portolan: there is no package for ${process.platform} on ${process.arch}`,
      'build it from its sources: cargo install --locked --path crates/portolan-cli',
    );
  }
  fail(
    `portolan: the package with the binary is not installed: ${wanted.join(' or ')}`,
    'It is an optional dependency; installers leave it out with --omit=optional or --no-optional,',
    'and where node_modules was copied from another platform. Install it:',
    `  npm install ${name}@${version} --include=optional`,
  );
}

const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends its signals to both; what only this process gets is passed on.
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) {
  process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
}
child.on('error', (error) => fail(`portolan: cannot start ${binary}: ${error.message}`));
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 128 + constants.signals[signal] : code;
});
