//! Light stemming: endings of English that tell the form of a word and not what it is about.
//!
//! No dictionary and no exceptions: a task and a file only have to end at the same letters.

/// The stem of a word in lower case.
pub fn stem(word: &str) -> &str {
    if !word.is_ascii() || word.len() < 4 {
        return word;
    }
    let word = plural(word);
    let word = verb(word);
    let word = noun(word);
    silent_e(word)
}

fn plural(word: &str) -> &str {
    if let Some(rest) = word.strip_suffix("ies").filter(|rest| rest.len() >= 3) {
        return rest;
    }
    for ending in ["sses", "shes", "ches", "xes"] {
        if word.ends_with(ending) {
            return &word[..word.len() - 2];
        }
    }
    match word.strip_suffix('s') {
        Some(rest) if !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}

fn verb(word: &str) -> &str {
    for ending in ["ing", "ed"] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| is_stem(rest)) {
            let single = undoubled(rest);
            // `validated` is of `validate`, `formatted` of `format`.
            let of_ate = rest.strip_suffix("at").filter(|rest| rest.len() > 3);
            return of_ate.filter(|_| single.len() == rest.len()).unwrap_or(single);
        }
    }
    word
}

fn noun(word: &str) -> &str {
    for ending in ["ation", "ator", "ate", "ion", "ment", "er", "or"] {
        if let Some(rest) = word.strip_suffix(ending).filter(|rest| is_stem(rest) && rest.len() > 3)
        {
            return undoubled(rest);
        }
    }
    word.strip_suffix('y').filter(|rest| rest.len() >= 3).unwrap_or(word)
}

/// `sett` is `set`; `call` stays as it is in `calls` and `called`.
fn undoubled(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., left, right] if left == right && !matches!(right, b'l' | b's' | b'z') => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

fn silent_e(word: &str) -> &str {
    word.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(word)
}

fn is_stem(rest: &str) -> bool {
    rest.len() >= 3 && rest.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u'))
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[track_caller]
    fn same(words: &str) {
        let stems: Vec<&str> = words.split_whitespace().map(stem).collect();
        assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{stems:?}");
    }

    #[test]
    fn forms_of_one_word_meet() {
        same("create creates created creating creation creator");
        same("setting settings set");
        same("validate validates validation validator");
        same("query queries");
        same("class classes");
        same("call calls called calling");
    }

    #[test]
    fn short_words_and_lookalikes_stay() {
        for word in ["string", "status", "css", "bus", "bed", "red", "axis"] {
            assert_eq!(stem(word), word);
        }
    }
}
