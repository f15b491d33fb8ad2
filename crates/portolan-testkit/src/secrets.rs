//! Made-up secrets in made-up files, which the guard must catch.
//!
//! They are assembled at run time, so that no scanner reports this repository as a leak. They
//! follow the issuers' descriptions of their formats, not the guard's rules, so that a wrong rule
//! shows.

mod held_out;
mod later;

/// A file with a secret in it.
#[derive(Clone, Debug)]
pub struct Planted {
    /// The kind of secret.
    pub what: String,
    /// The file's path.
    pub path: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The part of the file that no artifact may show.
    pub secret: String,
}

const LOW: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UP: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const URL: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
const B64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

/// A deterministic random number generator.
struct SecretRng(u64);

impl SecretRng {
    fn roll(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length).map(|_| char::from(alphabet[self.roll() % alphabet.len()])).collect()
    }
}

/// Formats of issuers: `{a:n}` stands for `n` characters of an alphabet: `l`ow, `u`p, he`x`,
/// `d`igits, `a`lnum, u`r`l, `b`ase64.
const FORMATS: &[(&str, &str)] = &[
    ("AWS access key id", "AKIA{u:16}"),
    ("AWS temporary key id", "ASIA{u:16}"),
    ("GitHub classic token", "ghp_{a:36}"),
    ("GitHub OAuth token", "gho_{a:36}"),
    ("GitHub app token", "ghs_{a:36}"),
    ("GitHub refresh token", "ghr_{a:36}"),
    ("GitHub fine-grained token", "github_pat_{a:22}_{a:59}"),
    ("GitLab personal token", "glpat-{r:20}"),
    ("GitLab routable token", "glpat-{r:27}.{l:2}.{l:9}"),
    ("GitLab deploy token", "gldt-{r:20}"),
    ("GitLab runner token", "glrt-{r:20}"),
    ("GitLab pipeline trigger token", "glptt-{x:40}"),
    ("GitLab runner registration token", "GR1348941{r:20}"),
    ("Slack bot token", "xoxb-{d:12}-{d:13}-{a:24}"),
    ("Slack user token", "xoxp-{d:12}-{d:12}-{d:13}-{x:32}"),
    ("Slack app token", "xapp-1-A{u:10}-{d:13}-{x:64}"),
    ("Slack configuration token", "xoxe.xoxp-1-{a:146}"),
    ("Slack webhook", "https://hooks.slack.com/services/T{u:10}/B{u:10}/{a:24}"),
    ("Discord webhook", "https://discord.com/api/webhooks/{d:18}/{r:68}"),
    (
        "Teams webhook",
        "https://contoso.webhook.office.com/webhookb2/{x:8}-{x:4}-{x:4}-{x:4}-{x:12}@{x:8}-{x:4}-{x:4}-{x:4}-{x:12}/IncomingWebhook/{x:32}/{x:8}-{x:4}-{x:4}-{x:4}-{x:12}",
    ),
    ("Telegram bot token", "{d:10}:AA{r:33}"),
    ("Stripe live key", "sk_live_{a:24}"),
    ("Stripe long live key", "sk_live_51{a:97}"),
    ("Stripe restricted key", "rk_live_{a:24}"),
    ("Stripe test key", "sk_test_{a:24}"),
    ("Stripe webhook secret", "whsec_{a:32}"),
    ("OpenAI legacy key", "sk-{a:20}T3BlbkFJ{a:20}"),
    ("OpenAI project key", "sk-proj-{r:74}T3BlbkFJ{r:74}"),
    ("OpenAI service key", "sk-svcacct-{r:74}T3BlbkFJ{r:74}"),
    ("OpenAI admin key", "sk-admin-{r:58}T3BlbkFJ{r:58}"),
    ("Anthropic key", "sk-ant-api03-{r:93}AA"),
    ("Anthropic admin key", "sk-ant-admin01-{r:93}AA"),
    ("Anthropic OAuth token", "sk-ant-oat01-{r:93}AA"),
    ("OpenRouter key", "sk-or-v1-{x:64}"),
    ("Groq key", "gsk_{a:52}"),
    ("xAI key", "xai-{a:80}"),
    ("Perplexity key", "pplx-{a:48}"),
    ("Replicate token", "r8_{a:37}"),
    ("Hugging Face token", "hf_{a:34}"),
    ("Google API key", "AIza{r:35}"),
    ("Google OAuth client secret", "GOCSPX-{r:28}"),
    ("Google access token", "ya29.{r:120}"),
    ("Google refresh token", "1//0{r:60}"),
    (
        "Azure storage connection",
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={b:86}==;EndpointSuffix=core.windows.net",
    ),
    (
        "Azure service bus",
        "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={b:43}=",
    ),
    ("Azure client secret", "{a:3}8Q~{a:34}"),
    (
        "Azure SAS URL",
        "https://acme.blob.core.windows.net/c/b?sv=2023-01-03&sr=b&sig={a:40}%2B{a:2}%3D",
    ),
    ("Shopify access token", "shpat_{x:32}"),
    ("Shopify shared secret", "shpss_{x:32}"),
    ("Shopify private app password", "shppa_{x:32}"),
    ("Linear key", "lin_api_{a:40}"),
    ("Linear OAuth token", "lin_oauth_{x:64}"),
    ("npm token", "npm_{a:36}"),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmc{r:150}"),
    ("RubyGems key", "rubygems_{x:48}"),
    ("crates.io token", "cio{a:32}"),
    ("NuGet key", "oy2{l:43}"),
    ("Docker Hub token", "dckr_pat_{r:27}"),
    ("DigitalOcean token", "dop_v1_{x:64}"),
    ("DigitalOcean OAuth token", "doo_v1_{x:64}"),
    ("Heroku key", "HRKU-AA{r:58}"),
    ("Fly.io token", "fo1_{r:43}"),
    ("Netlify token", "nfp_{a:36}"),
    ("Vercel blob token", "vercel_blob_rw_{a:16}_{a:32}"),
    ("Supabase token", "sbp_{x:40}"),
    ("Supabase secret key", "sb_secret_{r:31}"),
    ("PlanetScale password", "pscale_pw_{r:43}"),
    ("Neon key", "napi_{l:64}"),
    ("SendGrid key", "SG.{r:22}.{r:43}"),
    ("Mailgun key", "key-{x:32}"),
    ("Mailchimp key", "{x:32}-us21"),
    ("Brevo key", "xkeysib-{x:64}-{a:16}"),
    ("Resend key", "re_{a:8}_{a:24}"),
    ("Twilio API key", "SK{x:32}"),
    ("Databricks token", "dapi{x:32}"),
    ("Vault service token", "hvs.{r:90}"),
    ("Terraform Cloud token", "{a:14}.atlasv1.{r:67}"),
    ("Pulumi token", "pul-{x:40}"),
    ("Doppler token", "dp.pt.{a:43}"),
    ("Grafana service token", "glsa_{a:32}_{x:8}"),
    ("New Relic key", "NRAK-{u:27}"),
    ("Sentry user token", "sntryu_{x:64}"),
    ("SonarQube token", "sqp_{x:40}"),
    ("Postman key", "PMAK-{x:24}-{x:34}"),
    ("Figma token", "figd_{r:40}"),
    ("Notion token", "ntn_{d:11}{a:35}"),
    ("Airtable token", "pat{a:14}.{x:64}"),
    ("Atlassian token", "ATATT3xFfGF0{r:170}={x:8}"),
    ("Bitbucket app password", "ATBB{a:32}"),
    ("HubSpot token", "pat-na1-{x:8}-{x:4}-{x:4}-{x:4}-{x:12}"),
    ("Square token", "sq0atp-{r:22}"),
    ("Dynatrace token", "dt0c01.{u:24}.{u:64}"),
    ("Tailscale key", "tskey-auth-k{a:11}CNTRL-{a:32}"),
    ("LangSmith key", "lsv2_pt_{x:32}_{x:10}"),
    ("age identity", "AGE-SECRET-KEY-1{u:58}"),
    ("Facebook token", "EAAC{a:160}"),
    ("Alibaba access key", "LTAI5t{a:18}"),
    ("Postgres URL", "postgres://app:{a:16}@db.acme.io:5432/app"),
    (
        "Postgres URL with a chosen password",
        "postgresql://svc_billing:tr0ub4dor&3@10.1.2.3/billing",
    ),
    ("MySQL URL", "mysql://root:{a:14}@mysql.acme.io/shop"),
    ("Mongo URL", "mongodb+srv://admin:{a:18}@cluster0.ab1cd.mongodb.net/prod"),
    ("AMQP URL", "amqps://worker:{a:20}@rabbit.acme.io/vhost"),
    ("Redis URL", "rediss://default:{x:40}@redis.acme.io:6380"),
    ("SMTP URL", "smtps://mailer:{a:12}@smtp.acme.io"),
    ("basic authentication in a URL", "https://deploy:{a:12}@repo.acme.io/simple"),
    ("token as the user of a URL", "https://{x:40}@git.acme.io/team/project.git"),
    ("JDBC URL", "jdbc:postgresql://db.acme.io/app?user=svc&password={a:16}"),
    ("ADO connection string", "Server=db;Database=app;User Id=sa;Password={a:12}!;"),
];

/// Lines of code and configuration with a value `{v}`, and their files.
const LINES: &[(&str, &str, &str, &str)] = &[
    ("a secret in Python", "app/settings.py", "SECRET_KEY = '{v}'\n", "{b:50}"),
    (
        "a password in Python",
        "app/db.py",
        "conn = connect(user='svc', password='{v}')\n",
        "hunter2!x",
    ),
    ("an AWS secret in Python", "app/s3.py", "aws_secret_access_key = \"{v}\"\n", "{b:40}"),
    ("a token in TypeScript", "src/api.ts", "const authToken: string = '{v}';\n", "{a:32}"),
    ("a client secret in JSON", "src/oauth.json", "{\n  \"client_secret\": \"{v}\"\n}\n", "{r:28}"),
    ("an API key in YAML", "conf/app.yaml", "payments:\n  api_key: {v}\n", "{a:32}"),
    (
        "a password in YAML",
        "conf/db.yml",
        "database:\n  password: Tr0ub4dor-and-3\n  user: {v}\n",
        "svc",
    ),
    ("an access key in TOML", "conf/app.toml", "access_key = \"{v}\"\n", "{a:24}"),
    (
        "a password in properties",
        "src/main/resources/application.properties",
        "spring.datasource.password={v}\n",
        "{a:14}",
    ),
    ("a token in a shell script", "ops/deploy.sh", "export DEPLOY_TOKEN={v}\n", "{x:40}"),
    ("a password on a command line", "ops/backup.sh", "pg_dump --password {v} app\n", "{a:14}"),
    (
        "a password in XML",
        "conf/settings.xml",
        "<server><password>{v}</password></server>\n",
        "{a:14}",
    ),
    (
        "a password in a .NET setting",
        "conf/app.config",
        "<add key=\"DbPassword\" value=\"{v}\"/>\n",
        "{a:14}",
    ),
    (
        "a password in a manifest",
        "deploy/pod.yaml",
        "env:\n  - name: DB_PASSWORD\n    value: \"{v}\"\n",
        "{a:16}",
    ),
    ("a secret in Go", "internal/auth.go", "const jwtSecret = \"{v}\"\n", "{a:40}"),
    ("a secret in Rust", "src/auth.rs", "const SIGNING_KEY: &str = \"{v}\";\n", "{x:64}"),
    ("a secret in Ruby", "config/initializers/x.rb", "Stripe.api_key = '{v}'\n", "{a:32}"),
    ("a secret in PHP", "wp-config.php", "define( 'AUTH_SECRET', '{v}' );\n", "{a:48}"),
    ("a password in SQL", "db/init.sql", "CREATE ROLE app LOGIN PASSWORD '{v}';\n", "{a:14}"),
    ("a token in a Dockerfile", "Dockerfile", "ENV NPM_TOKEN={v}\n", "{x:36}"),
    ("a token in a workflow", ".github/workflows/x.yml", "env:\n  SONAR_TOKEN: {v}\n", "{x:40}"),
    (
        "a bearer header",
        "docs/api.md",
        "curl -H 'Authorization: Bearer {v}' https://api.acme.io\n",
        "{a:40}",
    ),
    (
        "a registry token outside .npmrc",
        "ops/setup.sh",
        "echo '//registry.npmjs.org/:_authToken={v}' > x\n",
        "{x:8}-{x:4}-4{x:3}-a{x:3}-{x:12}",
    ),
    ("a WireGuard key", "wg0.conf", "[Interface]\nPrivateKey = {v}\n", "{b:43}="),
    (
        "a kubeconfig elsewhere",
        "ops/cluster.yaml",
        "users:\n- user:\n    client-key-data: {v}\n",
        "{b:200}",
    ),
    (
        "a Discord bot token",
        "bot.js",
        "client.login(process.env.X || token); const token = '{v}'\n",
        "M{a:23}.{a:6}.{r:38}",
    ),
    ("an environment file", ".env", "DB_HOST=db\nDB_PASSWORD={v}\n", "hunter2"),
    ("an environment file of production", "app/.env.production", "SESSION_SECRET={v}\n", "{a:20}"),
    ("a local environment file", ".env.local", "FEATURE={v}\n", "on"),
    ("a copy with a tilde", ".env~", "API={v}\n", "{a:16}"),
    ("a copy by a file manager", ".env copy", "API={v}\n", "{a:16}"),
    ("a numbered copy", ".env1", "API={v}\n", "{a:16}"),
    ("a backup", ".env.local.bak", "API={v}\n", "{a:16}"),
    ("another backup", ".env.old", "API={v}\n", "{a:16}"),
    ("a direnv file", ".envrc", "export GH={v}\n", "{a:24}"),
    ("a template with a real value", ".env.example", "STRIPE_SECRET_KEY={v}\n", "{a:32}"),
    ("Cloudflare variables", ".dev.vars", "API={v}\n", "{a:16}"),
    (
        "Terraform state",
        "terraform.tfstate",
        "{\"version\":4,\"resources\":[{\"x\":\"{v}\"}]}\n",
        "{a:16}",
    ),
    (
        "a backup of Terraform state",
        "terraform.tfstate.backup",
        "{\"version\":4,\"resources\":[{\"x\":\"{v}\"}]}\n",
        "{a:16}",
    ),
    ("Terraform variables", "prod.tfvars", "db_password = \"{v}\"\n", "{a:12}"),
    ("Postgres passwords", ".pgpass", "db:5432:*:svc:{v}\n", "{a:12}"),
    ("a Rails key", "config/master.key", "{v}\n", "{x:32}"),
    ("Rails credentials", "config/credentials/production.key", "{v}\n", "{x:32}"),
    ("a registry token", ".npmrc", "//registry.npmjs.org/:_authToken={v}\n", "{x:36}"),
    ("an index password", ".pypirc", "[pypi]\nusername = me\npassword = {v}\n", "{a:12}"),
    ("a netrc", ".netrc", "machine api.acme.io login me password {v}\n", "{a:12}"),
    (
        "Docker credentials",
        ".docker/config.json",
        "{\"auths\":{\"x\":{\"auth\":\"{v}\"}}}\n",
        "{b:24}",
    ),
    (
        "AWS credentials",
        ".aws/credentials",
        "[default]\naws_access_key_id = x\naws_secret_access_key = {v}\n",
        "{b:40}",
    ),
    ("a kubeconfig", ".kube/config", "users:\n- user: {token: {v}}\n", "{a:40}"),
    ("cargo credentials", ".cargo/credentials.toml", "[registry]\ntoken = \"{v}\"\n", "cio{a:32}"),
    ("git credentials", ".git-credentials", "https://me:{v}@git.acme.io\n", "{a:20}"),
    ("web passwords", ".htpasswd", "me:$apr1${v}\n", "{a:30}"),
    (
        "a GitHub CLI token",
        ".config/gh/hosts.yml",
        "github.com:\n  oauth_token: {v}\n",
        "gho_{a:36}",
    ),
    ("a Vault token file", ".vault-token", "{v}\n", "hvs.{r:90}"),
    ("a key store", "android/release.jks", "{v}", "{a:60}"),
    ("a PKCS 12 file", "certs/site.p12", "{v}", "{a:60}"),
    ("an SSH key by name", ".ssh/id_ed25519", "{v}\n", "{a:60}"),
    ("a PuTTY key", "keys/x.ppk", "PuTTY-User-Key-File-3: ssh-ed25519\n{v}\n", "{b:60}"),
    ("a shell history", ".bash_history", "mysql -p{v}\n", "{a:12}"),
];

/// Labels of armoured keys.
const KEYS: &[&str] = &[
    "RSA PRIVATE",
    "PRIVATE",
    "EC PRIVATE",
    "OPENSSH PRIVATE",
    "ENCRYPTED PRIVATE",
    "DSA PRIVATE",
];

/// The whole corpus, always the same.
pub fn corpus() -> Vec<Planted> {
    let mut rng = SecretRng(0x9E37_79B9_7F4A_7C15);
    let mut planted = Vec::new();
    for (number, (what, format)) in FORMATS.iter().enumerate() {
        let secret = fill(format, &mut rng);
        let (path, text) = around(number, &secret);
        planted.push(plant(what, &path, text.into_bytes(), secret));
    }
    for (what, path, line, format) in LINES {
        let secret = fill(format, &mut rng);
        planted.push(plant(what, path, line.replace("{v}", &secret).into_bytes(), secret));
    }
    planted.extend(keys(&mut rng));
    planted.extend(wrapped(&mut rng));
    planted
}

/// Secrets that were written after the rules, always the same.
pub fn later() -> Vec<Planted> {
    let mut rng = SecretRng(0xD1B5_4A32_D192_ED03);
    let mut planted = Vec::new();
    for (number, (what, format)) in later::FORMATS.iter().enumerate() {
        let secret = fill(format, &mut rng);
        let (path, text) = around(number, &secret);
        planted.push(plant(what, &path, text.into_bytes(), secret));
    }
    for (what, path, line, format) in later::LINES {
        let secret = fill(format, &mut rng);
        planted.push(plant(what, path, line.replace("{v}", &secret).into_bytes(), secret));
    }
    planted
}

/// Secrets that were measured before the rules were fixed for them, always the same.
pub fn held_out() -> Vec<Planted> {
    let mut planted = rows(held_out::FIRST, 0xA076_1D64_78BD_642F);
    planted.extend(rows(held_out::SECOND, 0xE703_7ED1_A0B4_28DB));
    planted
}

/// Secrets that no rule was fixed for, always the same.
pub fn held_out_still() -> Vec<Planted> {
    rows(held_out::THIRD, 0x8EBC_6AF0_9C88_C6E3)
}

/// Forms that people commit, always the same.
pub fn held_out_forms() -> Vec<Planted> {
    rows(held_out::FOURTH, 0x5899_65CC_7537_4CC3)
}

/// Settings, scripts and code in many languages, written after the rules, always the same.
pub fn held_out_languages() -> Vec<Planted> {
    rows(held_out::FIFTH, 0x2F6A_91D3_4B7C_E805)
}

/// Each row as a file; every seventh in UTF-16.
fn rows(rows: &[(&str, &str, &str, &str)], seed: u64) -> Vec<Planted> {
    let mut rng = SecretRng(seed);
    let plants = rows.iter().enumerate().map(|(number, (what, path, line, format))| {
        let secret = fill(format, &mut rng);
        let text = line.replace("{v}", &secret);
        let bytes = match number % 14 {
            6 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            13 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            _ => text.into_bytes(),
        };
        plant(what, path, bytes, secret)
    });
    plants.collect()
}

fn plant(what: &str, path: &str, bytes: Vec<u8>, secret: String) -> Planted {
    Planted { what: what.to_owned(), path: path.to_owned(), bytes, secret }
}

/// A file around a secret: as code, as data, as prose.
fn around(number: usize, secret: &str) -> (String, String) {
    match number % 5 {
        0 => (
            format!("src/client{number}.ts"),
            format!("// a client\nexport const client = make('{secret}');\n"),
        ),
        1 => (format!("conf/app{number}.json"), format!("{{\n  \"endpoint\": \"{secret}\"\n}}\n")),
        2 => (
            format!("ops/run{number}.sh"),
            format!("#!/bin/sh\ncurl -d x={secret} https://acme.io\n"),
        ),
        3 => (format!("docs/notes{number}.md"), format!("# Notes\n\nUse `{secret}` for now.\n")),
        _ => (
            format!("app/job{number}.py"),
            format!("def job():\n    return run(\"{secret}\", retries=3)\n"),
        ),
    }
}

fn keys(rng: &mut SecretRng) -> Vec<Planted> {
    let mut planted = Vec::new();
    for (number, label) in KEYS.iter().enumerate() {
        let body = rng.text(B64, 64);
        let (begin, end) =
            (format!("-----BEGIN {label} KEY-----"), format!("-----END {label} KEY-----"));
        let pem = format!("{begin}\n{body}\n{}\n{end}\n", rng.text(B64, 64));
        planted.push(plant(label, &format!("keys/k{number}.txt"), pem.into_bytes(), body));
    }
    let body = rng.text(B64, 200);
    let account = format!(
        "{{\"type\":\"service_account\",\"private_key\":\"-----BEGIN {0} KEY-----\\n{body}\\n-----END {0} KEY-----\\n\"}}\n",
        "PRIVATE"
    );
    planted.push(plant("a GCP service account", "gcp.json", account.into_bytes(), body));
    let body = rng.text(B64, 128);
    let pgp = format!(
        "-----BEGIN PGP {0} KEY BLOCK-----\n\n{body}\n-----END PGP {0} KEY BLOCK-----\n",
        "PRIVATE"
    );
    planted.push(plant("a PGP key", "keys/me.asc", pgp.into_bytes(), body));
    let d = rng.text(URL, 43);
    let jwk = format!(
        "{{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{}\",\"d\":\"{d}\"}}\n",
        rng.text(URL, 43)
    );
    planted.push(plant("a private JWK", "src/jwk.json", jwk.into_bytes(), d));
    // {"alg":"HS256","typ":"JWT"} and {"sub":"u-1","role":"service"}.
    let head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
    let jwt = format!("{head}.eyJzdWIiOiJ1LTEiLCJyb2xlIjoic2VydmljZSJ9.{}", rng.text(URL, 43));
    planted.push(plant(
        "a JWT",
        "src/supa.ts",
        format!("export const k = \"{jwt}\";\n").into_bytes(),
        jwt,
    ));
    planted
}

/// The same token in other encodings, and far into a file.
fn wrapped(rng: &mut SecretRng) -> Vec<Planted> {
    let token = format!("ghp_{}", rng.text(ALNUM, 36));
    let text = format!("const t = \"{token}\";\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let late = format!("{}{text}", "// nothing to see here\n".repeat(10_000));
    let mut planted = Vec::new();
    for (what, path, bytes) in [
        ("UTF-16 little with a mark", "src/a.ts", [&[0xFF, 0xFE], little.as_slice()].concat()),
        ("UTF-16 big with a mark", "src/b.ts", [&[0xFE, 0xFF], big.as_slice()].concat()),
        ("UTF-16 little", "src/c.ts", little),
        ("UTF-16 big", "src/d.ts", big),
        ("far behind", "src/e.ts", late.into_bytes()),
    ] {
        planted.push(plant(what, path, bytes, token.clone()));
    }
    planted
}

/// Fills in a format.
fn fill(format: &str, rng: &mut SecretRng) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, behind)) = rest.split_once('{') {
        out.push_str(before);
        let (slot, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let (alphabet, length) = slot.split_once(':').unwrap_or(("a", slot));
        let alphabet = match alphabet {
            "l" => LOW,
            "u" => UP,
            "x" => HEX,
            "d" => DIGITS,
            "r" => URL,
            "b" => B64,
            _ => ALNUM,
        };
        out.push_str(&rng.text(alphabet, length.parse().unwrap_or(0)));
        rest = behind;
    }
    out.push_str(rest);
    out
}
