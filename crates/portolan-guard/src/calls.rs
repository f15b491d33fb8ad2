//! Passwords without a name beside them: arguments of a call, or values of a command-line flag.

use crate::assignment;
use crate::finding::DetectedSecret;
use crate::placeholders::{is_password, is_placeholder, is_random};

/// How far to search a call or a command line.
const LONGEST: usize = 400;

/// Calls, and the index of the argument that is the secret.
pub(crate) const CALLS: &[(&str, usize)] = &[
    ("new PDO(", 2),
    ("mysqli_connect(", 2),
    ("mysqli(", 2),
    ("jwt.sign(", 1),
    ("jwt.verify(", 1),
    ("jwt.encode(", 1),
    ("jwt.decode(", 1),
    (".login(", 1),
    ("SymmetricSecurityKey(Encoding.UTF8.GetBytes(", 0),
    ("SymmetricSecurityKey(Encoding.ASCII.GetBytes(", 0),
    ("BasicAWSCredentials(", 1),
    ("AwsBasicCredentials.create(", 1),
    ("NetworkCredential(", 1),
    ("UsernamePasswordCredentials(", 1),
    ("PasswordAuthentication(", 1),
    ("HTTPBasicAuth(", 1),
    ("SetBasicAuth(", 1),
    ("basic_auth(", 1),
    ("auth=(", 1),
    ("WiFi.begin(", 1),
    ("new Wallet(", 0),
];

/// Programs and statements, and the text before their secret. If that text ends with a blank, more blanks may
/// follow.
pub(crate) const COMMANDS: &[(&str, &[&str])] = &[
    ("sshpass ", &["-p"]),
    ("redis-cli ", &["-a ", "--pass "]),
    ("mysql ", &["-p"]),
    ("mysqldump ", &["-p"]),
    ("mysqladmin ", &["-p"]),
    ("mongosh ", &["-p "]),
    ("mongodump ", &["-p "]),
    ("ldapsearch ", &["-w "]),
    ("docker login ", &["-p "]),
    ("az login ", &["-p "]),
    ("sqlcmd ", &["-P "]),
    ("lftp ", &["-u "]),
    ("ConvertTo-SecureString ", &["", "-String "]),
    ("requirepass ", &[""]),
    ("masterauth ", &[""]),
    ("IDENTIFIED BY ", &[""]),
    ("identified by ", &[""]),
    ("-pass pass:", &[""]),
    ("-passin pass:", &[""]),
    ("-passout pass:", &[""]),
];

/// The secret among the arguments of the call at an offset.
pub(crate) fn argument(
    text: &[u8],
    at: usize,
    (call, wanted): (&str, usize),
) -> Option<DetectedSecret> {
    let open = at + call.len();
    let rest = text.get(open..text.len().min(open + LONGEST))?;
    crate::steps::add(2 * rest.len());
    let (mut depth, mut number, mut index) = (0usize, 0, 0);
    while let Some(byte) = rest.get(index) {
        match byte {
            b'"' | b'\'' | b'`' => {
                let length = rest[index + 1..].iter().position(|other| other == byte)?;
                let body = str::from_utf8(&rest[index + 1..index + 1 + length]).ok()?;
                if depth == 0 && number == wanted {
                    return finding(body, open + index + 1);
                }
                index += length + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => number += 1,
            _ => {}
        }
        index += 1;
    }
    None
}

/// The secret of the command at an offset.
pub(crate) fn flag(
    text: &[u8],
    at: usize,
    (program, flags): (&str, &[&str]),
) -> Option<DetectedSecret> {
    let start = at + program.len();
    let rest = text.get(start..text.len().min(start + LONGEST))?;
    let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
    crate::steps::add(2 * line.len() * flags.len());
    flags.iter().find_map(|flag| {
        let found = match flag.len() {
            0 => Some(0),
            _ => words_of(line).find(|place| line[*place..].starts_with(flag.as_bytes())),
        };
        let behind = found? + flag.len();
        let gap = line
            .get(behind..)?
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'"' | b'\'' | b'(' | b'N'))
            .count();
        // To its end, however long it is: a partial mask would show the rest.
        let value = text.get(start + behind + gap..)?;
        let is_end =
            |byte: &u8| matches!(byte, b'"' | b'\'' | b'`' | b'|' | b';' | b')') || *byte <= b' ';
        let value = &value[..value.iter().position(is_end).unwrap_or(value.len())];
        crate::steps::add(value.len());
        finding(str::from_utf8(value).ok()?, start + behind + gap)
    })
}

/// The offsets of the words of a line.
fn words_of(line: &[u8]) -> impl Iterator<Item = usize> {
    (0..line.len()).filter(|at| {
        line[*at] != b' ' && at.checked_sub(1).is_none_or(|before| line[before] == b' ')
    })
}

/// `echo SECRET | docker login --password-stdin`: the secret printed on the same line.
pub(crate) fn echoed_password(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let before = text.get(at.saturating_sub(LONGEST)..at)?;
    crate::steps::add(4 * before.len());
    let line =
        before.iter().rposition(|byte| *byte == b'\n').map_or(before, |end| &before[end + 1..]);
    let start = at - line.len();
    let echo = ["echo ", "printf "].iter().find_map(|word| {
        let found = line.windows(word.len()).position(|window| window == word.as_bytes())?;
        Some(found + word.len())
    })?;
    let gap = line[echo..].iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b' ')).count();
    let value = &line[echo + gap..];
    let length = value.iter().position(|byte| matches!(byte, b'"' | b'\'' | b' ' | b'|'))?;
    finding(str::from_utf8(&value[..length]).ok()?, start + echo + gap)
}

/// `pass: "…"`: the word is too short to search for without its context.
pub(crate) fn short_name(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let rest = text.get(at..text.len().min(at + LONGEST))?;
    let open = rest.iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let length = rest[open + 1..].iter().position(|byte| *byte == rest[open])?;
    finding(str::from_utf8(&rest[open + 1..open + 1 + length]).ok()?, at + open + 1)
}

/// `jdbc:oracle:thin:user/password@host`.
pub(crate) fn oracle_url(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let rest = text.get(at..text.len().min(at + LONGEST))?;
    let slash = rest.iter().position(|byte| *byte == b'/')? + 1;
    let end = slash
        + rest[slash..]
            .iter()
            .position(|byte| matches!(byte, b'@' | b'"' | b'<' | b' ' | b'\n'))?;
    if rest.get(end) != Some(&b'@') {
        return None;
    }
    finding(str::from_utf8(&rest[slash..end]).ok()?, at + slash)
}

/// `?key=…` in a URL.
pub(crate) fn query_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    const SHORTEST: usize = 24;
    let start = at + text.get(at..)?.iter().position(|byte| *byte == b'=')? + 1;
    let rest = text.get(start..)?;
    let is_it = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let length = rest.iter().take_while(|byte| is_it(byte)).count();
    crate::steps::add(length);
    let value = str::from_utf8(&rest[..length]).ok()?;
    let is_made = value.len() >= SHORTEST && is_random(value);
    is_made.then(|| finding(value, start)).flatten()
}

/// `"Jwt": { "Key": "…" }`, `'crypt' => ['key' => '…']`: the context shows what the key is for.
pub(crate) fn nested_key(text: &[u8], at: usize) -> Option<DetectedSecret> {
    let rest = text.get(at..text.len().min(at + LONGEST))?;
    let end = rest.iter().position(|byte| matches!(byte, b'}' | b']')).unwrap_or(rest.len());
    crate::steps::add(4 * end);
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let is_key = |window: &[u8]| {
        window[1..4].eq_ignore_ascii_case(b"key") && is_quote(&window[0]) && is_quote(&window[4])
    };
    let key = rest[..end].windows(5).position(is_key)? + 5;
    let open = key + rest[key..].iter().position(is_quote).filter(|gap| *gap <= 5)? + 1;
    let length = rest[open..].iter().position(is_quote)?;
    let value = str::from_utf8(&rest[open..open + length]).ok()?;
    is_random(value).then(|| finding(value, at + open)).flatten()
}

fn finding(value: &str, at: usize) -> Option<DetectedSecret> {
    let is_real = !is_placeholder(value) && (is_random(value) || is_password(value));
    let span = at..at + value.len();
    is_real.then_some(DetectedSecret { rule: assignment::RULE, span, denies: true })
}
