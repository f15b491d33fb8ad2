//! Whether a text looks machine-generated, or is a placeholder.

use std::sync::LazyLock;

/// The shortest text that looks machine-generated, and the shortest password.
pub(crate) const SHORTEST_RANDOM: usize = 12;
pub(crate) const SHORTEST_PASSWORD: usize = 6;

/// A real token does not repeat one character.
const MIN_DISTINCT: usize = 8;

/// Words that people write in place of a secret, and the small words between them.
const PLACEHOLDER_WORDS: &str = "\
    a abc access account actual add admin an any api app apikey auth bad bar baz bearer bob change \
    changed changeit changeme ci client code correct credential credentials current custom data db debug \
    default demo dev development django dummy empty encryption enter env example expected expired fake \
    false fill first foo foobar for from get github google guest hash hashed hello here hidden id in \
    incorrect insecure insert integration invalid is it jwt key legacy letmein local localhost long main \
    manager master me missing mock minio mocked mongo must my mysecret mysql name new no none nope not null \
    oauth of old ok one only open opensesame or org original other owner page pass passphrase passwd password passwords \
    pg placeholder please plain plaintext postgres private prisma prod production project public put pw \
    pwd random raw real redacted refresh replace replaced required reset right root safe salt same \
    sample second secret secrets secure security service sesame session set short signing site some something \
    special staging string strong stub super supersecret swordfish system temp temporary test tester \
    testing tests that the this three tmp to todo token topsecret true two undefined unit unknown unsafe \
    updated use user username users valid value very weak web webhook with wrong x xxx you your";

/// Substrings that mark a placeholder.
const MARKS: &[&str] = &[
    "example",
    "xxxx",
    "****",
    "....",
    "your",
    "placeholder",
    "redacted",
    "changeme",
    "${",
    "{{",
    "<%",
    "$(",
    "%(",
    "#{",
    "dummy",
];

/// Whether a lower-case text has one of [`MARKS`].
fn is_marked(lower: &[u8]) -> bool {
    (0..lower.len()).any(|at| {
        let may_be = matches!(
            lower[at],
            b'e' | b'x'
                | b'*'
                | b'.'
                | b'y'
                | b'p'
                | b'r'
                | b'c'
                | b'$'
                | b'{'
                | b'<'
                | b'%'
                | b'#'
                | b'd'
        );
        may_be && MARKS.iter().any(|mark| lower[at..].starts_with(mark.as_bytes()))
    })
}

/// Whether a value is a placeholder: empty, a reference, one repeated character, or words such as
/// `changeme` or `your-api-key`, possibly with digits or punctuation around them.
pub(crate) fn is_placeholder(value: &str) -> bool {
    crate::steps::add(64 + 8 * value.len());
    let lower = value.to_ascii_lowercase();
    let first = value.as_bytes().first();
    is_marked(lower.as_bytes())
        || matches!(first, None | Some(b'$' | b'<' | b'%' | b'[' | b'{' | b'('))
        || distinct(value.as_bytes()) < 4
        || is_made_of_placeholders(value)
        || is_disguised(value)
        || is_code_in_a_comment(value)
        || is_sequence(lower.as_bytes())
}

/// A name as comments of Ruby mark it: `+method+`.
fn is_code_in_a_comment(value: &str) -> bool {
    let name =
        value.trim_end_matches([',', '.']).strip_prefix('+').and_then(|it| it.strip_suffix('+'));
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
}

/// A word for a password with some letters replaced: `pa$$word`, `P@ssw0rd1`.
fn is_disguised(value: &str) -> bool {
    const WORDS: [&str; 5] = ["password", "passwort", "passwd", "secret", "admin"];
    let plain = |c: char| match c {
        '$' | '5' => 's',
        '@' | '4' => 'a',
        '0' => 'o',
        '3' => 'e',
        other => other.to_ascii_lowercase(),
    };
    let bare = value.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    WORDS.contains(&bare.chars().map(plain).collect::<String>().as_str())
}

/// The placeholder words by their last letter.
static BY_LAST: LazyLock<[Vec<&[u8]>; 26]> = LazyLock::new(|| {
    let mut by_last = [const { Vec::new() }; 26];
    for word in PLACEHOLDER_WORDS.split_ascii_whitespace().map(str::as_bytes) {
        if let Some(last @ b'a'..=b'z') = word.last() {
            by_last[usize::from(last - b'a')].push(word);
        }
    }
    by_last
});

/// Whether all letters belong to placeholder words; a placeholder has few of them.
fn is_made_of_placeholders(value: &str) -> bool {
    const MOST_WORDS: usize = 16;
    let mut n_words = 0;
    // The name of an encoding says nothing about the value.
    let value = if value.contains("64") {
        value.replace("base64", "").replace("b64", "").into()
    } else {
        std::borrow::Cow::Borrowed(value)
    };
    let words = value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    for word in words {
        n_words += 1;
        if n_words > MOST_WORDS || !is_placeholder_word(&word.to_ascii_lowercase()) {
            return false;
        }
    }
    // Digits alone are a placeholder only if there are few.
    n_words > 0 && value.bytes().filter(u8::is_ascii_digit).count() <= 6 || is_small_number(&value)
}

fn is_small_number(value: &str) -> bool {
    value.len() <= 5 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a word is a sequence of placeholder words.
fn is_placeholder_word(word: &str) -> bool {
    const LONGEST: usize = 48;
    if word.len() > LONGEST {
        return false;
    }
    // `reached[n]`: the first `n` letters are placeholder words.
    let mut reached = [false; LONGEST + 1];
    reached[0] = true;
    for (index, last) in word.bytes().enumerate() {
        let end = index + 1;
        let stand_ins = BY_LAST.get(usize::from(last.wrapping_sub(b'a')));
        reached[end] = stand_ins.is_some_and(|stand_ins| {
            stand_ins.iter().any(|stand_in| {
                end >= stand_in.len()
                    && reached[end - stand_in.len()]
                    && word.as_bytes()[end - stand_in.len()..end] == **stand_in
            })
        });
    }
    reached[word.len()]
}

/// Whether each character follows from the previous one: `abcdef`, `123456789`, `aaaa`.
pub(crate) fn is_sequence(bytes: &[u8]) -> bool {
    let steps = bytes.windows(2).filter(|pair| {
        let (first, second) = (pair[0], pair[1]);
        second == first || second == first.wrapping_add(1) || (first == b'9' && second == b'0')
    });
    bytes.len() >= 4 && steps.count() + 1 >= bytes.len().saturating_sub(bytes.len() / 10)
}

/// The number of distinct bytes.
pub(crate) fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Whether the body of a token with a fixed prefix is real.
pub(crate) fn is_token_body(body: &str) -> bool {
    crate::steps::add(4 * body.len());
    let lower = body.to_ascii_lowercase();
    !is_marked(lower.as_bytes()) && distinct(body.as_bytes()) >= MIN_DISTINCT.min(body.len() / 2)
}

/// Whether a text looks machine-generated: long, with several kinds of characters that alternate often.
///
/// Words, dates and numbers between dashes do not count, so a long name is not a secret.
pub(crate) fn is_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    crate::steps::add(8 * bytes.len());
    let is_printable = bytes.iter().all(|byte| (b'!'..=b'~').contains(byte));
    if bytes.len() < SHORTEST_RANDOM || !is_printable || is_placeholder(value) || is_uuid(bytes) {
        return false;
    }
    if bytes.iter().all(u8::is_ascii_hexdigit) {
        return bytes.len() >= 20 && mixes(bytes) && distinct(bytes) >= MIN_DISTINCT;
    }
    let parts =
        bytes.split(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')));
    let random: usize = parts.filter(|part| is_random_part(part)).map(<[u8]>::len).sum();
    random >= 12 && random * 100 >= bytes.len() * 55 && bits(bytes) >= 3.0
        || is_dashed(bytes)
        || is_noise(bytes)
}

/// Whether a text is mostly pronounceable words with a few digits or marks: `LoremIpsum86`. Its characters may
/// alternate often enough to look random, but no machine made it.
pub(crate) fn is_wordy(value: &str) -> bool {
    const SHORTEST: usize = 4;
    let bytes = value.as_bytes();
    let is_vowel = |byte: &u8| b"aeiouyAEIOUY".contains(byte);
    let (mut spoken, mut start) = (0, 0);
    for end in 1..=bytes.len() {
        let goes_on = bytes.get(end).is_some_and(u8::is_ascii_lowercase)
            && bytes[end - 1].is_ascii_alphabetic();
        if goes_on {
            continue;
        }
        let word = &bytes[start..end];
        if word.len() >= SHORTEST && word.iter().any(is_vowel) {
            spoken += word.len();
        }
        start = end;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    digits <= SHORTEST && spoken * 10 >= bytes.len() * 6
}

/// Characters of all kinds in no order, as in keys that frameworks generate: no words and no code.
fn is_noise(bytes: &[u8]) -> bool {
    const SHORTEST: usize = 32;
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    let mut marks: Vec<u8> =
        bytes.iter().copied().filter(|byte| !byte.is_ascii_alphanumeric()).collect();
    marks.sort_unstable();
    marks.dedup();
    let words = bytes.split(|byte| !byte.is_ascii_alphabetic());
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    bytes.len() >= SHORTEST
        && bytes.iter().any(u8::is_ascii_digit)
        && letters * 10 >= bytes.len() * 3
        && marks.len() >= 6
        && distinct(bytes) * 2 >= bytes.len().min(64)
        && words.map(<[u8]>::len).max().unwrap_or(0) < 5
        && changes(bytes) * 2 >= bytes.len()
        && ![b"(?".as_slice(), b"[^", b"[a-", b"[A-", b"[0-", b"\\", b"${", b"{{"]
            .iter()
            .any(|it| has(it))
}

/// base64url: letters of both cases and digits that alternate nearly everywhere, ignoring dashes.
fn is_dashed(bytes: &[u8]) -> bool {
    let joined: Vec<u8> =
        bytes.iter().copied().filter(|byte| !matches!(byte, b'-' | b'_')).collect();
    let has = |is_it: fn(&u8) -> bool| joined.iter().any(is_it);
    joined.len() >= 20
        && joined.len() * 10 >= bytes.len() * 8
        && joined.iter().all(u8::is_ascii_alphanumeric)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && changes(&joined) * 100 >= joined.len() * 42
}

/// Whether a part is not a word: letters and digits, or upper and lower case, alternate often.
fn is_random_part(part: &[u8]) -> bool {
    let least = if part.len() < 16 { 33 } else { 25 };
    part.len() >= 4 && mixes(part) && changes(part) * 100 >= part.len() * least
}

/// Whether there are letters and enough digits.
fn mixes(bytes: &[u8]) -> bool {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let least = if bytes.len() >= 10 { 2 } else { 1 };
    digits >= least && letters >= 2
}

/// A UUID identifies something more often than it grants access.
pub(crate) fn is_uuid(bytes: &[u8]) -> bool {
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// How often the kind of character changes.
fn changes(bytes: &[u8]) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    bytes.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// The Shannon entropy in bits per character.
fn bits(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(counts.iter().sum::<u32>());
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}

/// Whether a text looks like a careful person's password: not a placeholder, and letters with digits or
/// punctuation between them, or of mixed case without order.
pub(crate) fn is_password(value: &str) -> bool {
    let bytes = value.as_bytes();
    let digits = bytes.iter().any(u8::is_ascii_digit);
    let letters = bytes.iter().any(u8::is_ascii_alphabetic);
    let marks = bytes.iter().any(|byte| b"!@#$%^&*?+~|".contains(byte));
    (SHORTEST_PASSWORD..=128).contains(&bytes.len())
        && bytes.iter().all(|byte| (b'!'..=b'~').contains(byte))
        && letters
        && (digits || marks || bytes.len() >= 10 && changes(bytes) * 100 >= bytes.len() * 45)
        && !bytes.iter().any(|byte| b"(){}[];<>\"'`".contains(byte))
        && !is_placeholder(value)
        && !is_hashed(value)
        && !is_action(bytes)
}

/// `users#create`: a controller action, as routes name it.
fn is_action(bytes: &[u8]) -> bool {
    let is_name = |part: &[u8]| {
        part.iter().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'/'))
    };
    bytes.split(|byte| *byte == b'#').count() == 2 && bytes.split(|byte| *byte == b'#').all(is_name)
}

/// Whether it is a password hash.
fn is_hashed(value: &str) -> bool {
    const STARTS: &[&str] = &[
        "pbkdf2",
        "bcrypt",
        "argon2",
        "scrypt",
        "sha1$",
        "sha256$",
        "md5$",
        "crypt$",
        "$2a$",
        "$2b$",
        "$2y$",
        "$argon2",
        "$6$",
        "scram-sha",
    ];
    STARTS.iter().any(|start| value.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::{is_password, is_placeholder, is_random, is_wordy};

    #[test]
    fn placeholders_are_not_secrets() {
        for text in [
            "",
            "changeme",
            "your-api-key",
            "supersecret",
            "my_secret_token",
            "test123",
            "Password1!",
            "${TOKEN}",
            "xxxxxxxx",
            "<password>",
            "00000000",
            "abcdefgh",
            "12345678",
            "postgres",
            "pass",
            "user1",
            "secret-key-for-testing",
            "{{ token }}",
        ] {
            assert!(is_placeholder(text), "{text}");
            assert!(!is_random(text) && !is_password(text), "{text}");
        }
        for text in ["hunter2", "tr0ub4dor&3", "9f86d081884c7d65"] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn words_are_not_random() {
        for text in ["LoremIpsum86", "tigerLily^5", "correcthorse", "Summer2024"] {
            assert!(is_wordy(text), "{text}");
        }
        for text in ["pBU94AGAY85e", "k7Qz2Xf9Lm4Vt8Rb", "hR7pk2wQs9Zt", "4321567890", ""] {
            assert!(!is_wordy(text) || text.is_empty(), "{text}");
        }
    }

    #[test]
    fn noise_differs_from_patterns_and_code() {
        for text in [
            "8#k$w2v!q@r5t^y&u9i*o0p(a1s)d-f=g+h3j4k6l7z",
            "k7;Qz2+Xf9|Lm4-Vt8^Rb3&Nw6*Yc1(Hs5)Jd0=PgTq",
        ] {
            assert!(is_random(text), "{text}");
        }
        for text in [
            "^(?:[a-z0-9]{1,8}[-_.+!]?){2,4}$",
            "a=1&b=2&c[]=3&d[]=4&e(5)=6;f:7|g+8!h@9",
            "/api/v1/users/{id}/tokens?page=1&limit=20#top",
        ] {
            assert!(!is_random(text), "{text}");
        }
    }

    #[test]
    fn machine_generated_text_differs_from_names() {
        for text in [
            "k7Qz2Xf9Lm4Vt8Rb",
            "9f86d081884c7d659a2feaa0c55ad015",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzK4mQ9",
            "q8f3kd9x-77abz0p1",
        ] {
            assert!(is_random(text), "{text}");
        }
        for text in [
            "someIdentifierName",
            "a-kebab-case-name-1",
            "errors.password.tooShort",
            "calcom-credential-sync-secret",
            "utf8-base64-v2-token",
            "123e4567-e89b-12d3-a456-426614174000",
        ] {
            assert!(!is_random(text), "{text}");
        }
    }
}
