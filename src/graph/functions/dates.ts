// Dates and times: the parts of `xsd:dateTime` and `xsd:date`, and their place on the time line.
import type { Literal } from "n3";
import { getDatatype, literal, makeTyped, XSD } from "../rdf-terms";
import type { RdfTerm } from "../sparql-answer";
import { raiseTypeError } from "./expression-error";

type DateParts = {
  year: number;
  month: number;
  day: number;
  hours: number;
  minutes: number;
  /** As it is written, because it may have a fraction. */
  seconds: string;
  /** `Z` or an offset; null if it is not stated. */
  timezone: string | null;
  /** Milliseconds since 1970; a date without a time zone counts as UTC. */
  milliseconds: number;
};

const MINUTE_MS = 60_000;
const DATE = /^(-?\d{4,})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:\.\d+)?))?(Z|[+-]\d\d:\d\d)?$/;
/** A moment without a time zone can be this far from the same text in UTC. */
const ZONE_RANGE_MS = 14 * 60 * MINUTE_MS;

/** Returns null for a term that is not a well-formed `xsd:dateTime` or `xsd:date`. */
export function readDate(term: RdfTerm): DateParts | null {
  const datatype = getDatatype(term);
  if (datatype !== XSD.dateTime && datatype !== XSD.date) return null;
  return parseDate(term.value, datatype === XSD.dateTime);
}

export function parseDate(text: string, hasTime: boolean): DateParts | null {
  const match = DATE.exec(text.trim());
  if (match === null || (match[4] !== undefined) !== hasTime) return null;
  const [, year, month, day, hours = "0", minutes = "0", seconds = "0", timezone = null] = match;
  const moment = new Date(0);
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (moment.getUTCMonth() !== Number(month) - 1) return null;
  moment.setUTCHours(Number(hours), Number(minutes));
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hours: Number(hours),
    minutes: Number(minutes),
    seconds,
    timezone,
    milliseconds: moment.getTime() + Number(seconds) * 1000 - readOffset(timezone) * MINUTE_MS,
  };
}

/** Returns the offset of a time zone in minutes. */
function readOffset(timezone: string | null): number {
  if (timezone === null || timezone === "Z") return 0;
  const minutes = Number(timezone.slice(1, 3)) * 60 + Number(timezone.slice(4));
  return timezone.startsWith("-") ? -minutes : minutes;
}

export function requireDate(term: RdfTerm): DateParts {
  return readDate(term) ?? raiseTypeError("An operand is not a date");
}

/** Compares two moments. With a time zone in one of them only, moments that are close have no order. */
export function compareDates(a: DateParts, b: DateParts): number {
  const difference = a.milliseconds - b.milliseconds;
  const isComparable = (a.timezone === null) === (b.timezone === null);
  if (!isComparable && Math.abs(difference) <= ZONE_RANGE_MS)
    return raiseTypeError("A date without a time zone is compared with one that has one");
  return difference;
}

/** The function TZ. */
export function writeTimezone(term: RdfTerm): Literal {
  return literal(requireDate(term).timezone ?? "");
}

/** The function TIMEZONE. */
export function toTimezoneDuration(term: RdfTerm): Literal {
  const { timezone } = requireDate(term);
  if (timezone === null) return raiseTypeError("The date has no time zone");
  const offset = readOffset(timezone);
  if (offset === 0) return makeTyped("PT0S", XSD.dayTimeDuration);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const parts = `${hours === 0 ? "" : `${hours}H`}${minutes === 0 ? "" : `${minutes}M`}`;
  return makeTyped(`${offset < 0 ? "-" : ""}PT${parts}`, XSD.dayTimeDuration);
}
