//! Tokens that their issuers made recognizable: a fixed prefix and a known length.
//!
//! One row per family. A row is data: `tests` generate a token for each prefix of each row and check that the
//! row matches it, so a row that cannot match fails. The formats are public knowledge. Lengths have some
//! slack, because issuers change them.

use crate::shape::CharSet::{
    self, Alnum, Base64, Dashed, Digit, Dotted, Escaped, Hex, Low, Up, Word,
};
use crate::shape::TokenPart::{Run, Text};
use crate::shape::TokenShape;

/// The tokens of one issuer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) denies: &'static str,
    pub(crate) shapes: &'static [TokenShape],
}

const LONG: usize = 4000;

macro_rules! families {
    ($($name:literal, $denies:literal { $([$($start:literal),+] $($piece:expr),+;)+ })+) => {
        /// Every family, by name of issuer.
        pub(crate) const FAMILIES: &[Family] = &[$(Family {
            name: $name,
            denies: $denies,
            shapes: &[$(TokenShape { starts: &[$($start),+], parts: &[$($piece),+] }),+],
        },)+];
    };
}

families! {
    "adafruit-key", "an Adafruit IO key (`aio_…`)" { ["aio_"] Run(Alnum, 28, 28); }
    "adobe-secret", "an Adobe client secret (`p8e-…`)" { ["p8e-"] Run(Dashed, 32, 32); }
    "age-key", "an age identity (`AGE-SECRET-KEY-1…`)" { ["AGE-SECRET-KEY-1"] Run(Up, 58, 58); }
    "airtable-token", "an Airtable token (`pat….…`)" { ["pat"] Run(Alnum, 14, 14), Text("."), Run(Hex, 64, 64); }
    "alibaba-key", "an Alibaba Cloud access key id (`LTAI…`)" { ["LTAI"] Run(Alnum, 12, 24); }
    "anthropic-key", "an Anthropic key (`sk-ant-api…`, `sk-ant-admin…`, `sk-ant-oat…`, `sk-ant-sid…`)" {
        ["sk-ant-api", "sk-ant-admin", "sk-ant-oat", "sk-ant-ort", "sk-ant-sid"] Run(Dashed, 40, 500); }
    "apify-token", "an Apify token (`apify_api_…`)" { ["apify_api_"] Run(Alnum, 30, 40); }
    "artifactory-token", "an Artifactory key (`AKCp…`)" { ["AKCp"] Run(Alnum, 60, 80); }
    "asana-token", "an Asana token (`2/…/…:…`)" { ["2/", "1/"] Run(Digit, 14, 20), Text("/"), Run(Digit, 14, 20), Text(":"), Run(Hex, 32, 32); }
    "atlassian-token", "an Atlassian or Bitbucket token (`ATATT3…`, `ATCTT3…`, `ATBB…`)" {
        ["ATATT3", "ATCTT3"] Run(Escaped, 60, 500); ["ATBB"] Run(Alnum, 28, 40); }
    "aws-access-key", "an AWS access key id (`AKIA…`, `ASIA…`, `ABIA…`, `ACCA…`)" { ["AKIA", "ASIA", "ABIA", "ACCA"] Run(Up, 16, 16); }
    "aws-bedrock-key", "an Amazon Bedrock key (`ABSK…`, `bedrock-api-key-…`)" { ["ABSK"] Run(Base64, 100, 300); ["bedrock-api-key-"] Run(Base64, 40, LONG); }
    "aws-mws-key", "an Amazon MWS token (`amzn.mws.…`)" { ["amzn.mws."] Run(Dashed, 36, 36); }
    "axiom-token", "an Axiom token (`xaat-…`, `xapt-…`)" { ["xaat-", "xapt-"] Run(Dashed, 36, 36); }
    "azure-key", "an Azure account or shared access key (`AccountKey=…`, `SharedAccessKey=…`)" {
        ["AccountKey=", "SharedAccessKey=", "accountkey="] Run(Base64, 40, 100); }
    "azure-sas", "an Azure shared access signature (`…&sig=…`)" { ["&sig=", "?sig=", "&amp;sig="] Run(Escaped, 43, 120); }
    "bip32-key", "an extended private key of a wallet (`xprv…`)" { ["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"] Run(Alnum, 104, 108); }
    "brevo-key", "a Brevo key (`xkeysib-…`, `xsmtpsib-…`)" { ["xkeysib-", "xsmtpsib-"] Run(Dashed, 64, 100); }
    "browserbase-key", "a Browserbase key (`bb_live_…`)" { ["bb_live_"] Run(Dashed, 24, 40); }
    "buildkite-token", "a Buildkite token (`bkua_…`, `bkct_…`)" { ["bkua_", "bkct_", "bkaj_"] Run(Alnum, 36, 64); }
    "circleci-token", "a CircleCI token (`CCIPAT_…`, `CCIPRJ_…`)" { ["CCIPAT_", "CCIPRJ_"] Run(Word, 40, 100); }
    "clojars-token", "a Clojars token (`CLOJARS_…`)" { ["CLOJARS_"] Run(Hex, 60, 60); }
    "cloudflare-key", "a Cloudflare origin CA key (`v1.0-…-…`) or token (`cfut_…`, `cfat_…`)" {
        ["v1.0-"] Run(Hex, 24, 24), Text("-"), Run(Hex, 146, 146); ["cfut_", "cfat_", "cfk_"] Run(Dashed, 40, 80); }
    "contentful-token", "a Contentful token (`CFPAT-…`)" { ["CFPAT-"] Run(Dashed, 40, 60); }
    "crates-io-token", "a crates.io token (`cio…`)" { ["cio"] Run(Alnum, 32, 32); }
    "cursor-key", "a Cursor key (`key_…`, `crsr_…`)" { ["key_", "crsr_"] Run(Hex, 64, 64); }
    "databricks-token", "a Databricks token (`dapi…`, `dose…`)" { ["dapi", "dose", "dkea"] Run(Hex, 32, 32); ["dapi"] Run(Hex, 32, 32), Text("-"), Run(Digit, 1, 2); }
    "daytona-key", "a Daytona key (`dtn_…`)" { ["dtn_"] Run(Hex, 64, 64); }
    "dependency-track-key", "a Dependency-Track key (`odt_…`)" { ["odt_"] Run(Alnum, 32, 50); }
    "digitalocean-token", "a DigitalOcean token (`dop_v1_…`, `doo_v1_…`, `dor_v1_…`)" { ["dop_v1_", "doo_v1_", "dor_v1_"] Run(Hex, 64, 64); ["dop_v1_"] Run(Alnum, 64, 64); }
    "discord-bot-token", "a Discord bot token (`….….…`)" {
        ["MTA", "MTE", "MTI", "MTM", "MTQ", "MTU", "MTY", "MTc", "MTg", "MTk", "MjA", "MjE", "MjI", "MjM", "MjQ", "MjU", "MjY", "Mjc", "Mjg", "Mjk", "MzA", "MzE", "MzI", "MzM", "MzQ", "MzU", "MzY", "Mzc", "Mzg", "Mzk", "NDA", "NDE", "NDI", "NDM", "NDQ", "NDU", "NDY", "NDc", "NDg", "NDk", "NTA", "NTE", "NTI", "NTM", "NTQ", "NTU", "NTY", "NTc", "NTg", "NTk", "NjA", "NjE", "NjI", "NjM", "NjQ", "NjU", "NjY", "Njc", "Njg", "Njk", "NzA", "NzE", "NzI", "NzM", "NzQ", "NzU", "NzY", "Nzc", "Nzg", "Nzk", "ODA", "ODE", "ODI", "ODM", "ODQ", "ODU", "ODY", "ODc", "ODg", "ODk", "OTA", "OTE", "OTI", "OTM", "OTQ", "OTU", "OTY", "OTc", "OTg", "OTk"]
        Run(Dashed, 20, 26), Text("."), Run(Dashed, 6, 6), Text("."), Run(Dashed, 27, 45); }
    "discord-webhook", "a Discord webhook" { ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"] Run(Digit, 15, 22), Text("/"), Run(Dashed, 50, 80); }
    "docker-token", "a Docker Hub token (`dckr_pat_…`, `dckr_oat_…`)" { ["dckr_pat_", "dckr_oat_"] Run(Dashed, 24, 40); }
    "doppler-token", "a Doppler token (`dp.pt.…`, `dp.st.…`)" { ["dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."] Run(Alnum, 40, 50); ["dp.st."] Run(Dotted, 40, 90); }
    "dropbox-token", "a Dropbox token (`sl.…`)" { ["sl."] Run(Dashed, 130, 1500); ["sl.u."] Run(Dashed, 130, 1500); }
    "duffel-token", "a Duffel token (`duffel_live_…`, `duffel_test_…`)" { ["duffel_live_", "duffel_test_"] Run(Dashed, 43, 43); }
    "dynatrace-token", "a Dynatrace token (`dt0c01.….…`)" { ["dt0c01.", "dt0s01.", "dt0s16."] Run(Alnum, 8, 24), Text("."), Run(Alnum, 64, 64); }
    "e2b-key", "an E2B key (`e2b_…`)" { ["e2b_"] Run(Hex, 40, 40); }
    "easypost-token", "an EasyPost key (`EZAK…`, `EZTK…`)" { ["EZAK", "EZTK"] Run(Alnum, 54, 54); }
    "elevenlabs-key", "an ElevenLabs key (`sk_…`)" { ["sk_"] Run(Hex, 48, 48); }
    "facebook-token", "a Facebook access token (`EAA…`)" { ["EAA"] Run(Alnum, 60, 400); }
    "fcm-key", "a Firebase Cloud Messaging server key (`AAAA…:APA91b…`)" { [":APA91b"] Run(Dashed, 100, 200); }
    "figma-token", "a Figma token (`figd_…`)" { ["figd_"] Run(Dashed, 38, 60); }
    "firecrawl-key", "a Firecrawl key (`fc-…`)" { ["fc-"] Run(Hex, 32, 32); }
    "flutterwave-key", "a Flutterwave secret key (`FLWSECK-…`, `FLWSECK_TEST-…`)" { ["FLWSECK-", "FLWSECK_TEST-"] Run(Alnum, 12, 40); }
    "fly-token", "a Fly.io token (`FlyV1 fm2_…`, `fo1_…`)" { ["fm2_", "fm1r_", "fm1a_"] Run(Base64, 80, LONG); ["fo1_"] Run(Dashed, 40, 50); }
    "frameio-token", "a Frame.io token (`fio-u-…`)" { ["fio-u-"] Run(Dashed, 64, 64); }
    "github-token", "a GitHub token (`ghp_…`, `gho_…`, `ghu_…`, `ghs_…`, `ghr_…`, `github_pat_…`)" {
        ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] Run(Alnum, 36, 255); ["github_pat_"] Run(Word, 60, 255); }
    "gitlab-token", "a GitLab token (`glpat-…`, `gldt-…`, `glrt-…`, `glcbt-…`, `GR1348941…` and similar ones)" {
        ["glpat-", "gldt-", "glptt-", "glrt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-", "glffct-", "glwt-"] Run(Dotted, 20, 500);
        ["glcbt-"] Run(Dashed, 20, 60); ["GR1348941"] Run(Dashed, 20, 20); ["_gitlab_session="] Run(Hex, 32, 32); }
    "gocardless-token", "a GoCardless token (`live_…`)" { ["live_"] Run(Dashed, 40, 40); }
    "google-api-key", "a Google API key (`AIza…`, `AQ.…`)" { ["AIza"] Run(Dashed, 35, 35); ["AQ."] Run(Dashed, 40, 120); }
    "google-oauth", "a Google OAuth secret or token (`GOCSPX-…`, `ya29.…`, `1//0…`)" {
        ["GOCSPX-"] Run(Dashed, 28, 28); ["ya29."] Run(Dashed, 40, 500); ["1//0"] Run(Dashed, 40, 150); }
    "grafana-token", "a Grafana token (`glsa_…`, `glc_…`)" { ["glsa_"] Run(Alnum, 32, 32), Text("_"), Run(Hex, 8, 8); ["glc_"] Run(Base64, 32, 500); ["eyJrIjoi"] Run(Base64, 70, 400); }
    "groq-key", "a Groq key (`gsk_…`)" { ["gsk_"] Run(Alnum, 48, 60); }
    "harness-token", "a Harness token (`pat.….….…`, `sat.….….…`)" { ["pat.", "sat."] Run(Dashed, 22, 22), Text("."), Run(Hex, 24, 24), Text("."), Run(Alnum, 20, 20); }
    "helicone-key", "a Helicone key (`sk-helicone-…`)" { ["sk-helicone-"] Run(Dashed, 24, 60); }
    "heroku-key", "a Heroku key (`HRKU-…`)" { ["HRKU-"] Run(Dashed, 36, 80); }
    "honeycomb-key", "a Honeycomb key (`hcaik_…`, `hcamk_…`)" {
        ["hcaik_", "hcbik_", "hcaic_", "hcbic_", "hcamk_", "hcbmk_", "hcalk_", "hcblk_"] Run(Low, 26, 64); }
    "hubspot-token", "a HubSpot token (`pat-na1-…`, `pat-eu1-…`)" { ["pat-na1-", "pat-na2-", "pat-na3-", "pat-eu1-", "pat-ap1-"] Run(Dashed, 36, 36); }
    "huggingface-token", "a Hugging Face token (`hf_…`, `api_org_…`)" { ["hf_"] Run(Alnum, 34, 40); ["api_org_"] Run(Alnum, 34, 40); }
    "infracost-key", "an Infracost key (`ico-…`)" { ["ico-"] Run(Alnum, 32, 32); }
    "inngest-key", "an Inngest signing key (`signkey-prod-…`)" { ["signkey-prod-", "signkey-branch-"] Run(Hex, 32, 64); }
    "jetbrains-token", "a JetBrains token (`perm:….…`)" { ["perm:", "perm-"] Run(Base64, 4, 80), Text("."), Run(Base64, 2, 80), Text("."), Run(Alnum, 20, 60); }
    "jina-key", "a Jina key (`jina_…`)" { ["jina_"] Run(Word, 40, 100); }
    "langsmith-key", "a LangSmith key (`lsv2_pt_…`, `lsv2_sk_…`)" { ["lsv2_pt_", "lsv2_sk_"] Run(Hex, 32, 32), Text("_"), Run(Hex, 10, 10); }
    "launchdarkly-key", "a LaunchDarkly key (`sdk-…`, `api-…`)" { ["sdk-", "api-"] Run(Hex, 8, 8), Text("-"), Run(Hex, 4, 4), Text("-"), Run(Hex, 4, 4), Text("-"), Run(Hex, 4, 4), Text("-"), Run(Hex, 12, 12); }
    "linear-key", "a Linear key (`lin_api_…`, `lin_oauth_…`, `lin_wh_…`)" { ["lin_api_", "lin_oauth_", "lin_wh_"] Run(Alnum, 32, 80); }
    "llamacloud-key", "a LlamaCloud key (`llx-…`)" { ["llx-"] Run(Alnum, 48, 48); }
    "mailchimp-key", "a Mailchimp key (`…-us12`)" { ["-us"] Run(Digit, 1, 2); }
    "mailgun-key", "a Mailgun key (`key-…`)" { ["key-"] Run(Hex, 32, 32); }
    "mapbox-token", "a Mapbox secret token (`sk.eyJ…`)" { ["sk.eyJ"] Run(Dashed, 40, 200), Text("."), Run(Dashed, 20, 40); }
    "office-webhook", "an Office 365 webhook" { [".webhook.office.com/webhookb2/"] Run(Dashed, 36, 36), Text("@"), Run(Dashed, 36, 36), Text("/IncomingWebhook/"), Run(Alnum, 32, 32); }
    "mollie-key", "a Mollie key (`live_…`, `test_…`)" { ["live_", "test_"] Run(Alnum, 30, 30); }
    "neon-key", "a Neon key (`napi_…`)" { ["napi_"] Run(Alnum, 60, 70); }
    "netlify-token", "a Netlify token (`nfp_…`)" { ["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"] Run(Alnum, 36, 44); }
    "newrelic-key", "a New Relic key (`NRAK-…`, `NRII-…`)" { ["NRAK-", "NRII-", "NRIQ-", "NRRA-"] Run(Dashed, 24, 44); ["NRAA-"] Run(Hex, 27, 27); }
    "notion-token", "a Notion token (`secret_…`, `ntn_…`)" { ["ntn_"] Run(Alnum, 43, 50); ["secret_"] Run(Alnum, 43, 43); }
    "npm-token", "an npm access token (`npm_…`)" { ["npm_"] Run(Alnum, 36, 36); }
    "nuget-key", "a NuGet key (`oy2…`)" { ["oy2"] Run(Low, 43, 43); }
    "octopus-key", "an Octopus Deploy key (`API-…`)" { ["API-"] Run(Up, 26, 32); }
    "onepassword-token", "a 1Password secret key or service token (`A3-…`, `ops_eyJ…`)" {
        ["ops_eyJ"] Run(Base64, 200, LONG); ["A3-"] Run(Up, 6, 6), Text("-"), Run(Up, 6, 6), Text("-"), Run(Up, 5, 5), Text("-"), Run(Up, 5, 5), Text("-"), Run(Up, 5, 5); }
    "openai-key", "an OpenAI key (`sk-proj-…`, `sk-svcacct-…`, `sk-admin-…`, `sk-…T3BlbkFJ…`) or one of its form (`sk-` and 32 to 64 characters)" {
        ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-service-"] Run(Dashed, 40, 500); ["sk-"] Run(Alnum, 32, 64); }
    "openrouter-key", "an OpenRouter key (`sk-or-v1-…`)" { ["sk-or-v1-"] Run(Hex, 64, 64); }
    "langfuse-key", "a Langfuse secret key (`sk-lf-…`)" { ["sk-lf-"] Run(Dashed, 36, 36); }
    "perplexity-key", "a Perplexity key (`pplx-…`)" { ["pplx-"] Run(Alnum, 40, 64); }
    "pinecone-key", "a Pinecone key (`pcsk_…`)" { ["pcsk_"] Run(Word, 50, 100); }
    "plaid-token", "a Plaid token (`access-production-…`)" { ["access-production-", "access-development-", "access-sandbox-"] Run(Dashed, 36, 36); }
    "planetscale-token", "a PlanetScale token or password (`pscale_tkn_…`, `pscale_pw_…`)" { ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"] Run(Dotted, 32, 64); }
    "postman-key", "a Postman key (`PMAK-…`)" { ["PMAK-"] Run(Hex, 24, 24), Text("-"), Run(Hex, 34, 34); }
    "posthog-key", "a PostHog personal key (`phx_…`)" { ["phx_", "phs_"] Run(Word, 40, 60); }
    "prefect-token", "a Prefect token (`pnu_…`)" { ["pnu_", "pnb_"] Run(Alnum, 36, 40); }
    "pulumi-token", "a Pulumi token (`pul-…`)" { ["pul-"] Run(Hex, 40, 40); }
    "pypi-token", "a PyPI token (`pypi-AgEI…`)" { ["pypi-AgEI", "pypi-AgEN"] Run(Dashed, 50, 500); }
    "razorpay-key", "a live Razorpay key (`rzp_live_…`)" { ["rzp_live_"] Run(Alnum, 14, 24); }
    "readme-key", "a ReadMe key (`rdme_…`)" { ["rdme_"] Run(Low, 70, 70); }
    "render-key", "a Render key (`rnd_…`)" { ["rnd_"] Run(Alnum, 28, 40); }
    "replicate-token", "a Replicate token (`r8_…`)" { ["r8_"] Run(Alnum, 37, 40); }
    "resend-key", "a Resend key (`re_…`)" { ["re_"] Run(Alnum, 8, 8), Text("_"), Run(Alnum, 20, 30); }
    "rubygems-key", "a RubyGems key (`rubygems_…`)" { ["rubygems_"] Run(Hex, 48, 48); }
    "scalingo-token", "a Scalingo token (`tk-us-…`)" { ["tk-us-"] Run(Dashed, 48, 48); }
    "sendgrid-key", "a SendGrid key (`SG.….…`)" { ["SG."] Run(Dashed, 16, 32), Text("."), Run(Dashed, 35, 64); ["SG."] Run(Dotted, 60, 70); }
    "sentry-token", "a Sentry token (`sntrys_…`, `sntryu_…`)" { ["sntryu_"] Run(Hex, 64, 64); ["sntrys_"] Run(Dashed, 60, 500); ["sntrys_eyJ"] Run(Base64, 60, 500), Text("_"), Run(Base64, 40, 50); }
    "shippo-token", "a Shippo token (`shippo_live_…`, `shippo_test_…`)" { ["shippo_live_", "shippo_test_"] Run(Hex, 40, 40); }
    "shopify-token", "a Shopify token (`shpat_…`, `shpss_…`, `shpca_…`, `shppa_…`)" { ["shpat_", "shpss_", "shpca_", "shppa_", "shptka_", "shpua_"] Run(Hex, 32, 64); }
    "slack-token", "a Slack token (`xoxb-…`, `xoxp-…`, `xoxe-…`, `xapp-…` and similar ones)" {
        ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"] Run(Escaped, 24, 500);
        ["xapp-"] Run(Digit, 1, 2), Text("-"), Run(Alnum, 8, 16), Text("-"), Run(Digit, 8, 20), Text("-"), Run(Alnum, 30, 100);
        ["xapp-"] Run(Dashed, 40, 200); }
    "slack-webhook", "a Slack webhook" { ["hooks.slack.com/services/"] Run(Alnum, 8, 14), Text("/"), Run(Alnum, 8, 14), Text("/"), Run(Alnum, 20, 30);
        ["hooks.slack.com/workflows/", "hooks.slack.com/triggers/"] Run(Alnum, 8, 14), Text("/"), Run(Alnum, 8, 24), Text("/"), Run(Word, 17, 40); }
    "sonar-token", "a SonarQube token (`sqp_…`, `squ_…`, `sqa_…`)" { ["sqp_", "squ_", "sqa_"] Run(Hex, 40, 40); }
    "sourcegraph-token", "a Sourcegraph token (`sgp_…`)" { ["sgp_"] Run(Word, 40, 60); }
    "square-token", "a Square token (`sq0atp-…`, `sq0csp-…`, `EAAA…`)" { ["sq0atp-", "sq0csp-"] Run(Dashed, 22, 43); }
    "stripe-live-key", "a Stripe key (`sk_live_…`, `rk_live_…`, `sk_org_live_…`, `sk_test_…`) or webhook secret (`whsec_…`)" {
        ["sk_live_", "rk_live_", "sk_prod_", "rk_prod_", "sk_org_live_", "sk_org_test_"] Run(Alnum, 20, 250); ["sk_test_", "rk_test_"] Run(Alnum, 24, 250); ["whsec_"] Run(Base64, 32, 64); }
    "supabase-key", "a Supabase key (`sbp_…`, `sb_secret_…`)" { ["sbp_"] Run(Hex, 40, 40); ["sbp_v0_"] Run(Hex, 40, 40); ["sb_secret_"] Run(Dashed, 31, 50); }
    "tailscale-key", "a Tailscale key (`tskey-…`)" { ["tskey-auth-", "tskey-api-", "tskey-client-", "tskey-scim-", "tskey-webhook-", "tskey-"] Run(Dashed, 24, 80); }
    "tavily-key", "a Tavily key (`tvly-…`)" { ["tvly-"] Run(Dashed, 24, 60); }
    "telegram-token", "a Telegram bot token (`123456789:AA…`)" { [":AA"] Run(Dashed, 32, 34); }
    "tencent-key", "a Tencent Cloud secret id (`AKID…`)" { ["AKID"] Run(Alnum, 32, 32); }
    "terraform-token", "a Terraform Cloud token (`….atlasv1.…`)" { [".atlasv1."] Run(Dashed, 60, 70); }
    "together-key", "a Together AI key (`tgp_v1_…`)" { ["tgp_v1_"] Run(Dashed, 40, 50); }
    "trigger-key", "a Trigger.dev key (`tr_prod_…`)" { ["tr_prod_", "tr_stg_"] Run(Alnum, 20, 30); }
    "twilio-key", "a Twilio API key (`SK…`)" { ["SK"] Run(Hex, 32, 32); }
    "twilio-account", "a Twilio account with its token (`AC…`)" { ["AC"] Run(Hex, 32, 32); }
    "typeform-token", "a Typeform token (`tfp_…`)" { ["tfp_"] Run(Dotted, 40, 70); }
    "vault-token", "a HashiCorp Vault token (`hvs.…`, `hvb.…`, `hvr.…`, `s.…`)" { ["hvs.", "hvb.", "hvr."] Run(Dashed, 24, 300); ["s."] Run(Alnum, 24, 24); }
    "vercel-token", "a Vercel token (`vercel_blob_rw_…`, `vck_…`, `vcp_…`)" { ["vercel_blob_rw_"] Run(Word, 30, 80); ["vcp_", "vck_", "vci_", "vca_", "vcr_"] Run(Alnum, 40, 70); }
    "wakatime-key", "a WakaTime key (`waka_…`)" { ["waka_"] Run(Dashed, 36, 36); }
    "xai-key", "an xAI key (`xai-…`)" { ["xai-"] Run(Alnum, 70, 90); }
    "xata-key", "a Xata key (`xau_…`)" { ["xau_"] Run(Alnum, 28, 50); }
    "yandex-key", "a Yandex Cloud key (`AQVN…`, `YC…`, `t1.….…`)" { ["YC"] Run(Dashed, 38, 38); ["AQVN"] Run(Dashed, 35, 38); ["t1."] Run(Dashed, 86, 300), Text("."), Run(Dashed, 86, 100); }
    "zapier-webhook", "a Zapier webhook" { ["hooks.zapier.com/hooks/catch/"] Run(Digit, 5, 12), Text("/"), Run(Alnum, 6, 12); }
    "aiven-password", "an Aiven service password (`AVNS_…`)" { ["AVNS_"] Run(Dashed, 17, 24); }
    "atlas-secret", "a MongoDB Atlas service account secret (`mdb_sa_sk_…`)" { ["mdb_sa_sk_"] Run(Dashed, 36, 60); }
    "authress-key", "an Authress service key (`sc_….….acc_….…`)" { ["sc_", "ext_", "scauth_"] Run(Alnum, 5, 30), Text("."), Run(Word, 4, 16), Text(".acc"), Run(Dashed, 8, 36), Text("."), Run(Base64, 30, 120); }
    "azure-devops-token", "an Azure DevOps token (`…AZDO…`)" { ["AZDO"] Run(Alnum, 4, 4); }
    "baidu-key", "a Baidu Cloud key (`bce-v3/ALTAK-…/…`)" { ["bce-v3/ALTAK-"] Run(Alnum, 18, 24), Text("/"), Run(Hex, 40, 40); }
    "braintree-token", "a Braintree token (`access_token$production$…$…`)" { ["access_token$production$", "access_token$sandbox$"] Run(Low, 16, 16), Text("$"), Run(Hex, 32, 32); }
    "canva-secret", "a Canva secret (`cnvca…`)" { ["cnvca"] Run(Dashed, 48, 56); }
    "cashfree-key", "a Cashfree secret (`cfsk_ma_prod_…`)" { ["cfsk_ma_prod_", "cfsk_ma_test_"] Run(Hex, 32, 32), Text("_"), Run(Hex, 8, 8); }
    "cerebras-key", "a Cerebras key (`csk-…`)" { ["csk-"] Run(Low, 44, 52); }
    "chief-tools-token", "a Chief Tools token (`ctp_…`)" { ["ctp_"] Run(Alnum, 32, 44); }
    "clickhouse-key", "a ClickHouse Cloud secret (`4b1d…`)" { ["4b1d"] Run(Alnum, 38, 38); }
    "cockroach-key", "a CockroachDB Cloud key (`CCDB1_…_…`)" { ["CCDB1_"] Run(Alnum, 22, 22), Text("_"), Run(Alnum, 40, 40); }
    "contentstack-token", "a Contentstack token (`cs…`)" { ["cs"] Run(Hex, 32, 32); }
    "defined-networking-key", "a Defined Networking key (`dnkey-…-…`)" { ["dnkey-"] Run(Low, 26, 26), Text("-"), Run(Low, 52, 52); }
    "fireworks-key", "a Fireworks key (`fw_…`)" { ["fw_"] Run(Alnum, 22, 32); }
    "intra42-secret", "a secret of 42's intranet (`s-s4t2ud-…`, `u-s4t2ud-…`)" { ["s-s4t2ud-", "u-s4t2ud-"] Run(Hex, 64, 64); }
    "jfrog-token", "a JFrog reference token (`cmVmdGtu…`)" { ["cmVmdGtu"] Run(Alnum, 50, 60); }
    "lichess-token", "a Lichess token (`lip_…`)" { ["lip_"] Run(Alnum, 18, 24); }
    "lob-key", "a Lob key (`live_…`, `test_…`)" { ["live_", "test_"] Run(Hex, 35, 35); }
    "mailersend-key", "a MailerSend key (`mlsn.…`)" { ["mlsn."] Run(Hex, 64, 64); }
    "midtrans-key", "a Midtrans server key (`Mid-server-…`)" { ["Mid-server-"] Run(Dashed, 20, 36); }
    "nvidia-key", "an NVIDIA key (`nvapi-…`)" { ["nvapi-"] Run(Dashed, 60, 72); }
    "okta-token", "an Okta token (`00…`)" { ["00"] Run(Dashed, 40, 40); }
    "onfido-token", "an Onfido token (`api_live.….…`)" { ["api_live.", "api_live_us.", "api_live_ca.", "api_sandbox."] Run(Alnum, 8, 14), Text("."), Run(Dashed, 28, 40); }
    "openshift-token", "an OpenShift token (`sha256~…`)" { ["sha256~"] Run(Dashed, 43, 43); }
    "orbit-token", "an Orbit token (`obu_…`)" { ["obu_"] Run(Alnum, 30, 44); }
    "persona-key", "a Persona key (`persona_production_…`)" { ["persona_production_", "persona_sandbox_"] Run(Dashed, 36, 36); }
    "polar-token", "a Polar token (`polar_oat_…`, `polar_pat_…`)" { ["polar_oat_", "polar_pat_", "polar_whs_"] Run(Alnum, 32, 64); }
    "rootly-key", "a Rootly key (`rootly_…`)" { ["rootly_"] Run(Hex, 64, 64); }
    "samsara-token", "a Samsara token (`samsara_api_…`)" { ["samsara_api_"] Run(Alnum, 28, 36); }
    "settlemint-token", "a SettleMint token (`sm_pat_…`, `sm_aat_…`, `sm_sat_…`)" { ["sm_pat_", "sm_aat_", "sm_sat_"] Run(Alnum, 16, 16); }
    "sidekiq-secret", "Sidekiq's registry (`BUNDLE_ENTERPRISE__CONTRIBSYS__COM=…:…`)" { ["BUNDLE_ENTERPRISE__CONTRIBSYS__COM=", "BUNDLE_GEMS__CONTRIBSYS__COM="] Run(Hex, 8, 8), Text(":"), Run(Hex, 8, 8); }
    "thunderstore-token", "a Thunderstore token (`tss_…`)" { ["tss_"] Run(Alnum, 36, 40); }
    "twitter-bearer", "a bearer token of X (`AAAAAAAAAAAAAAAAAAAAA…`)" { ["AAAAAAAAAAAAAAAAAAAAA"] Run(Escaped, 60, 110); }
    "ubidots-key", "a Ubidots key (`BBFF-…`)" { ["BBFF-"] Run(Alnum, 28, 36); }
    "unkey-key", "an Unkey root key (`unkey_…`)" { ["unkey_"] Run(Alnum, 20, 40); }
    "valtown-token", "a Val Town token (`vtwn_…`)" { ["vtwn_"] Run(Alnum, 24, 40); }
    "volcengine-key", "a Volcengine key (`AKLT…`)" { ["AKLT"] Run(Dashed, 30, 60); }
    "woocommerce-key", "a WooCommerce key (`ck_…`, `cs_…`)" { ["ck_", "cs_"] Run(Hex, 40, 40); }
    "zuplo-key", "a Zuplo key (`zpka_…_…`)" { ["zpka_"] Run(Hex, 32, 32), Text("_"), Run(Hex, 8, 8); }
    "azure-client-secret", "an Azure application's client secret (`…8Q~…`)" { ["Q~"] Run(Dotted, 30, 36); }
}

/// What must precede a prefix that is inside its token, or that says little by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RequiredPrefix {
    /// Anything.
    Any,
    /// This many characters of a class, which belong to the token.
    Run(CharSet, usize, usize),
}

/// The families whose tokens do not start a word.
pub(crate) const REQUIRED_PREFIXES: &[(&str, RequiredPrefix)] = &[
    ("azure-client-secret", RequiredPrefix::Run(Dotted, 4, 4)),
    ("azure-devops-token", RequiredPrefix::Run(Alnum, 76, 76)),
    ("azure-key", RequiredPrefix::Any),
    ("azure-sas", RequiredPrefix::Any),
    ("discord-webhook", RequiredPrefix::Any),
    ("fcm-key", RequiredPrefix::Run(Dashed, 8, 20)),
    ("mailchimp-key", RequiredPrefix::Run(Hex, 32, 32)),
    ("office-webhook", RequiredPrefix::Any),
    ("slack-webhook", RequiredPrefix::Any),
    ("telegram-token", RequiredPrefix::Run(Digit, 8, 10)),
    ("terraform-token", RequiredPrefix::Run(Alnum, 14, 14)),
    ("zapier-webhook", RequiredPrefix::Any),
];

impl Family {
    /// What must precede the prefix; `None` if the token must start a word.
    pub(crate) fn lead(&self) -> Option<RequiredPrefix> {
        REQUIRED_PREFIXES.iter().find(|(name, _)| *name == self.name).map(|(_, lead)| *lead)
    }
}
