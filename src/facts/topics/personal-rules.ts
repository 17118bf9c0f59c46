// Forms of statements about the body, age, family and diet of a person.
import { isDate, parseValue } from "./fact-values";
import { LIFE_STATUS, PERSON_NOUN } from "./fact-words";
import { resolveSubject, USER, WE } from "./noun-phrases";
import {
  BE,
  CHANGE_TAIL,
  defineForm,
  type Fact,
  type FormGroups,
  HAVE,
  makeFact,
  type SentenceForm,
  SUBJECT,
  stateAttribute,
  VALUE,
} from "./sentence-rule";

/** The name of a partner: "my wife is Ana" and "my wife's name is Ana" are one fact. */
function toPartner({ s = "", relation = "", who = "" }: FormGroups): Fact | null {
  const owner = /^my$/i.test(s.trim()) ? USER : resolveSubject(s);
  return owner === null || owner === WE
    ? null
    : makeFact(`${owner}'s ${relation.toLowerCase()}`, "name", parseValue("person", who));
}

function toAge({ s = "", v = "", unit }: FormGroups): Fact | null {
  const subject = resolveSubject(s);
  const isPerson =
    subject === USER ||
    (subject !== null && PERSON_NOUN.test(subject)) ||
    /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?$/u.test(s);
  if (unit === undefined && !isPerson) return null;
  return makeFact(subject, "age", /month|week/.test(unit ?? "") ? `${v}${unit}` : v);
}

function toLifeStatus({ s = "", v = "", who }: FormGroups): Fact | null {
  if (/^(?:in|on|last|at|this) /i.test(who ?? "")) return toLifeStatus({ s, v });
  const [, other] = /^(\p{Lu}[\p{L}'-]+) and I$/u.exec(s) ?? /^I and (\p{Lu}[\p{L}'-]+)$/u.exec(s) ?? [];
  const [, first, second] = /^(\p{Lu}[\p{L}'-]+) and (\p{Lu}[\p{L}'-]{2,})$/u.exec(s) ?? [];
  if (first !== undefined && second !== undefined && who === undefined)
    return toLifeStatus({ s: first, v, who: second });
  const named = (who?.replace(/^someone (?:named|called) /i, "") ?? other)
    ?.replace(CHANGE_TAIL, "")
    .replace(/ (?:on|last|in) .*$/, "");
  const name = named === undefined ? "" : parseValue("person", named);
  const status = v
    .toLowerCase()
    .replace(/^(?:remarried|wed)$/, "married")
    .replace(/^unmarried$|^a bachelor$/, "single")
    .replace(/^(?:broke up|split up|broken up)$/, "separated")
    .replace(/^seeing$/, "dating")
    .replace(/^an? widow(?:er)?$/, "widowed");
  const subject = other === undefined ? resolveSubject(s) : USER;
  return name === null
    ? null
    : makeFact(subject, "marital_status", name === "" ? status : `${status} to ${name}`);
}

const AGE =
  "(?<v>\\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\\w+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen)";

const DIET =
  "(?<v>vegetarian|vegan|pescatarian|pescetarian|flexitarian|omnivorous|omnivore|carnivore|keto|paleo|gluten-free|dairy-free|lactose-free|sugar-free|low-carb|halal|kosher|plant-based|meat-eater)";

export const LIFE_FORMS: readonly SentenceForm[] = [
  defineForm(
    `${SUBJECT}(?: ${BE}|${HAVE} (?:just )?turned) ${AGE}(?<unit> years? old| years of age| months? old| weeks? old)?(?: (?:on|in|last) \\p{L}+)?`,
    toAge,
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:celebrated|had) (?:my|his|her|their|its) (?<v>\\d{1,3})(?:st|nd|rd|th) birthday`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "age", v),
  ),
  defineForm(`${SUBJECT} weighs? ${VALUE}`, stateAttribute("weight", "amount")),
  defineForm(
    `${SUBJECT} ${BE} (?<v>\\d[\\d.,'"]* ?(?:cm|m|metres|meters|feet|ft|foot)?(?: ?\\d+)?) tall`,
    stateAttribute("height", "amount"),
  ),
  defineForm(
    `${SUBJECT} wears? (?:an? )?size (?<v>[\\p{L}\\d./]+)(?: (?<n>shoes?|shirts?|trousers|pants|dress(?:es)?|jeans))?`,
    ({ s = "", v = "", n = "clothes" }) =>
      makeFact(resolveSubject(s), `${n.toLowerCase().replace(/(?:e?s)$/, "")}_size`, v),
  ),
  defineForm(
    `${SUBJECT} wears? (?:an? )(?<v>[XSML]+|extra[- ]large|large|medium|small)`,
    stateAttribute("clothe_size", "text"),
  ),
  defineForm(`${SUBJECT} (?:was|were) born (?:on|in) ${VALUE}`, ({ s = "", v = "" }) => {
    if (!isDate(v)) return makeFact(resolveSubject(s), "birthplace", parseValue("place", v));
    return makeFact(resolveSubject(s), /^(?:19|20)\d\d$/.test(v) ? "birth_year" : "birthday", v);
  }),
  defineForm(
    `${SUBJECT}(?: ${BE}|${HAVE}(?: gotten| got| become| been)?) (?:(?:happily|newly|legally) )?${LIFE_STATUS}(?: (?:(?:to|with|from) )?(?<who>.{1,40}))?`,
    toLifeStatus,
  ),
  defineForm(`${SUBJECT}${HAVE} (?:married|wed) (?<who>.{2,40})`, ({ s, who }) =>
    toLifeStatus({ s, v: "married", who }),
  ),
  defineForm(`${SUBJECT} (?:has|have) an? (?<relation>fianc[eé]e?|wife|husband)`, ({ s, relation = "" }) =>
    toLifeStatus({ s, v: /^fianc/i.test(relation) ? "engaged" : "married" }),
  ),
  defineForm(`${SUBJECT} (?:has|have)(?: got)? an? (?:new )?(?:girlfriend|boyfriend|partner)`, ({ s }) =>
    toLifeStatus({ s, v: "in a relationship" }),
  ),
  defineForm(
    `${SUBJECT}(?:'s)? (?:new )?(?<relation>wife|husband|spouse|fianc[eé]e?|girlfriend|boyfriend|partner)(?: is|'s name is| is called| is named) (?<who>.{2,40})`,
    toPartner,
  ),
  defineForm(
    `${SUBJECT}(?: ${BE}|${HAVE} (?:went|gone|turned|become|became|switched to being)| ${BE} (?:on|doing|eating)| (?:eats?|does|do)) (?:an? )?(?:strict )?${DIET}`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${SUBJECT}(?: ${BE} on| ${BE} following| follows?| eats?| keeps? to| sticks? to|${HAVE} (?:switched|changed|moved|gone)(?: from .{1,30}?)? to|${HAVE} started) (?:an? |the )?(?<v>[\\p{L}-]+(?: [\\p{L}-]+)?) diet`,
    ({ s = "", v = "" }) =>
      /^(?:strict|new|healthy|good|bad|special|balanced|different)$/i.test(v)
        ? null
        : makeFact(resolveSubject(s), "diet", v),
  ),
  defineForm(`${SUBJECT} keeps? (?<v>kosher|halal)`, stateAttribute("diet", "text")),
  defineForm(
    `${SUBJECT} (?:has|have) been (?:an? )?${DIET}(?: (?:for|since) .{1,30})?`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:stopped eating|gave up|given up|cut out) (?<v>meat|animal products)`,
    ({ s = "", v = "" }) => makeFact(resolveSubject(s), "diet", /^meat$/i.test(v) ? "vegetarian" : "vegan"),
  ),
  defineForm(
    `${SUBJECT}${HAVE} (?:started|gone back to|went back to|begun|resumed) eating (?<v>meat|everything)`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${SUBJECT} (?:takes?|needs?|${BE}|fits? into) an? size (?<v>[\\p{L}\\d./]+)`,
    stateAttribute("clothe_size", "text"),
  ),
  defineForm(
    `${SUBJECT} eats? (?<v>everything|meat|halal|kosher|vegan|vegetarian|plant-based|keto|gluten-free|low-carb|fish|only plants)(?: food| meals)?`,
    stateAttribute("diet", "text"),
  ),
  defineForm(
    `${SUBJECT} ${BE} (?:in|on) (?:the )?(?<v>[\\p{L}/_+\\d:-]+(?: [\\p{L}]+)?) (?:time ?zone|time)`,
    stateAttribute("timezone", "text"),
  ),
];
