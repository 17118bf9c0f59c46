// The kinds of sensitive values that the privacy gate finds. Secrets are always masked; personal data by policy.
import type { PersonalCategory } from "./privacy-schemas";

const SECRET_KINDS = [
  "private_key",
  "connection_string",
  "jwt",
  "aws_access_key",
  "github_token",
  "gitlab_token",
  "slack_token",
  "slack_webhook",
  "stripe_key",
  "anthropic_key",
  "openai_key",
  "google_key",
  "cloudflare_token",
  "npm_token",
  "pypi_token",
  "huggingface_token",
  "sendgrid_key",
  "twilio_key",
  "telegram_token",
  "discord_token",
  "kioku_key",
  "bearer_token",
  "password",
  "api_key",
  "payment_card",
] as const;

export type SecretKind = (typeof SECRET_KINDS)[number];

const NATIONAL_ID_KINDS = [
  "us_ssn",
  "uk_nino",
  "de_tax_id",
  "es_dni",
  "se_personnummer",
  "br_cpf",
  "fr_nir",
  "it_codice_fiscale",
  "pl_pesel",
  "nl_bsn",
  "in_aadhaar",
] as const;

export type NationalIdKind = (typeof NATIONAL_ID_KINDS)[number];

type PersonalKind = "email" | "phone" | "iban" | NationalIdKind;

export type SensitiveKind = SecretKind | PersonalKind;

/** A sensitive value in a text, from its first character to the one after its last. */
export type Finding = { kind: SensitiveKind; start: number; end: number };

const SECRETS: ReadonlySet<string> = new Set(SECRET_KINDS);

export function isSecretKind(kind: SensitiveKind): kind is SecretKind {
  return SECRETS.has(kind);
}

export function getPersonalCategory(kind: PersonalKind): PersonalCategory {
  return kind === "email" || kind === "phone" || kind === "iban" ? kind : "national_id";
}
