// The nouns that name an attribute with one value at a time, each with the kind of value it takes. Nouns of which a
// subject may have several (hobby, friend, cat, skill, allergy) are left out on purpose.

export type ValueKind =
  | "email"
  | "phone"
  | "date"
  | "amount"
  | "place"
  | "person"
  | "name"
  | "address"
  | "url"
  | "version"
  | "identifier"
  | "tool"
  | "text";

type AttributeNoun = { attribute: string; kind: ValueKind };

/** One attribute per line: its canonical name, then synonyms, separated by commas. A name alone is its own synonym. */
const NOUNS: Readonly<Record<Exclude<ValueKind, "tool">, string>> = {
  email: `
    email: email, e-mail, inbox, mail, email address, e-mail address, mail address`,
  phone: `
    phone: phone, phone number, telephone, telephone number, number, contact number
    mobile: mobile, mobile number, mobile phone, mobile phone number, cell, cell number, cell phone, cell phone number
    hotline: hotline, hotline number
    landline: landline, landline number
    fax: fax, fax number`,
  date: `
    birthday: birthday, birth date, birthdate, date of birth, dob
    deadline: deadline, due date, cut-off, cutoff, cut-off date, submission date
    launch date: launch date, release date, go-live date, ship date
    start date, end date, closing date, expiry date, expiration date, moving date, wedding date, delivery date, renewal date
    start time, end time, departure time, arrival time, bedtime, check-in time, check-out time
    anniversary: anniversary, wedding anniversary
    date, meeting time, due day, payday, code freeze, feature freeze`,
  amount: `
    age
    price: price, cost, list price, asking price
    budget, fee, rate, hourly rate, day rate, salary, income, rent, tuition, deposit, mortgage, interest rate, tax rate
    target, goal, okr target, burn rate, electricity bill, waist, inseam, minimum order
    discount, commission, premium, allowance
    limit, rate limit, upload limit, size limit, file size limit, credit limit, speed limit, memory limit, page limit
    word limit, character limit, timeout, request timeout, interval, polling interval, threshold, quota, capacity
    size, batch size, pool size, page size, image size, bundle size, font size, shoe size, shirt size, ring size, dress size
    clothing size, clothes size, team size, hat size, trouser size
    height, weight, target weight, length, width, depth, duration, sprint length, notice period, trial period
    retention: retention, retention period, retention time
    ttl, frequency, headcount, score, credit score, mileage, balance, quorum, replication factor, tab width, line length
    max line length, indent width, resting heart rate, blood pressure, step goal, daily goal, calorie goal, savings goal, goal weight
    word count, user count, employee count, number of employees, number of users, error rate, conversion rate
    churn rate, churn, uptime, latency, test coverage, coverage, market share, valuation, revenue, target revenue, mrr, arr, turnover
    port: port, port number
    commute: commute, commute time`,
  place: `
    residence: home, residence, place of residence, home city, city of residence
    hometown: hometown, home town
    birthplace: birthplace, place of birth
    location: location, headquarters, hq, head office, venue
    workplace location`,
  person: `
    manager: manager, boss, line manager, supervisor
    owner: owner, service owner, code owner, system owner, process owner
    product owner, lead, leader, maintainer, assignee, reviewer, approver, account manager, project manager
    product manager, engineering manager, program manager, scrum master, office manager, team lead, team leader, tech lead, project lead, design lead
    contact: contact, point of contact, point person, contact person, main contact, primary contact
    emergency contact, ceo, cto, cfo, coo, cmo, cpo, ciso, cio, president, vice president, chairman, chairwoman, chair, chairperson, director
    managing director, editor in chief, coach, captain, treasurer, headteacher, head teacher, headmaster, landlord, landlady
    doctor: doctor, gp, family doctor, physician, primary care doctor
    dentist, therapist, psychologist, lawyer, solicitor, accountant, tax advisor, mentor, assistant, tutor, personal trainer, trainer, vet
    executive sponsor, sponsor, on-call, on-call lead, on-call engineer, babysitter, nanny, hairdresser, barber
    physiotherapist, physio, advisor, adviser, thesis advisor, best friend, mayor, prime minister, class teacher, piano teacher, successor, beneficiary`,
  name: `
    name: name, full name
    first name, last name, surname, maiden name, nickname, preferred name, legal name, display name, middle name
    codename: codename, code name
    employer: employer, workplace
    username: username, user name, handle, user handle
    working title
    school, university, college, bank, insurer, health insurer, insurance company, internet provider, mobile provider
    energy provider, phone provider, isp, mobile carrier, carrier, gym, pharmacy`,
  address: `
    address: address, home address, postal address, street address, mailing address
    work address, office address, billing address, shipping address, delivery address`,
  url: `
    url: url, uri, base url, link, web address
    website: website, site, homepage, web site
    domain: domain, domain name
    endpoint, webhook, webhook url, repo url, repository url, dashboard url`,
  version: `
    version: version, version number
    latest release: latest release, latest version, newest version, newest release, current release, current version, latest stable release
    minimum version: minimum version, min version, minimum supported version, required version`,
  identifier: `
    region: region, aws region, cloud region, availability zone
    ip: ip, ip address
    host: host, hostname, host name
    branch: branch, default branch, main branch, release branch, base branch
    bucket, bucket name, cluster, namespace, database name, channel, slack channel, project id, tenant id, account id, customer number, table name
    node count
    path, root directory, output directory, working directory, log level, licence plate, license plate, room number, flight number, gate, seat, seat number
    desk, desk number, extension, password, passphrase, passcode, pin, door code, access code, iban, tax id, vat number, membership number, locker number, wifi name, ssid`,
  text: `
    job title: job title, title, role, position, occupation, profession, job, job role
    status: status, state, current status
    support level, service level, level, phase, stage, priority, severity, health
    timezone: timezone, time zone
    language: language, default language, main language, interface language, ui language, preferred language
    native language: native language, mother tongue, first language
    programming language, locale, currency, default currency, date format, time format, number format, format, default format
    units, unit system, temperature unit
    theme: theme, colour scheme, color scheme, colour theme, color theme
    colour: colour, color
    eye colour: eye colour, eye color
    hair colour: hair colour, hair color
    brand colour: brand colour, brand color
    font, default font, license, licence
    plan: plan, tier, subscription, subscription plan, subscription tier, pricing plan, pricing tier
    membership, gym membership
    pronouns: pronouns, preferred pronouns
    diet, blood type, blood group, nationality, religion, marital status, relationship status, star sign, zodiac sign, gender
    major, degree, thesis topic, car, working hours, office hours, opening hours, business hours, store hours, quiet hours, schedule, shift
    release cadence, cadence, release schedule, deployment schedule, meeting day, deploy day, release day
    slogan, motto, tagline, mascot, indentation, indent style, quote style, encoding, protocol, isolation level
    naming convention, commit style, branching strategy, merge strategy, deploy target, deployment target, coffee order, usual order
    contact method: contact method, preferred contact method, preferred channel
    preferred airline, preferred seat, seat preference, preferred name format, tone, response style, output format, visibility, payment method, preferred payment method, payment terms, dress code, room, meeting room, classroom, floor`,
};

/** What a team uses one of at a time, for each purpose. */
const TOOL_NOUNS = `
  database: database, db, main database, primary database
  ci: ci, ci system, ci server, ci provider, ci tool, ci/cd, build system, build server
  host: hosting, hosting provider, host provider, hosting platform
  cloud: cloud, cloud provider
  editor: editor, code editor, text editor, ide
  browser: browser, web browser, default browser, main browser
  os: os, operating system
  framework, web framework, frontend framework, backend framework, css framework, test framework
  test runner, package manager, bundler, build tool, linter, formatter, orm, message broker, message queue, queue
  cache, crm, issue tracker, bug tracker, project management tool, monitoring tool, search engine, default search engine, runtime
  model: model, default model
  language model: language model, llm
  embedding model, vector database, password manager, email provider, email client, mail client, payment provider, payment processor, payment gateway
  shell, terminal, note-taking app, notes app, calendar app, todo app, task manager, music app, chat tool, version control, version control system
  identity provider, auth provider, analytics tool, design tool, wiki, cdn, dns provider, registrar, state management library, styling solution
  keyboard, keyboard layout, laptop, phone model, main laptop, work laptop, camera, main monitor`;

function buildTable(lines: string, toNoun: (attribute: string) => AttributeNoun): [string, AttributeNoun][] {
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [, head, synonyms = ""] = /^\s*(?:([^:]+): )?(.*)$/.exec(line) ?? [];
      return synonyms
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean)
        .map((word): [string, AttributeNoun] => [word, toNoun((head ?? word).replaceAll(" ", "_"))]);
    });
}

const KINDS: readonly Exclude<ValueKind, "tool">[] = [
  "email",
  "phone",
  "date",
  "amount",
  "place",
  "person",
  "name",
  "address",
  "url",
  "version",
  "identifier",
  "text",
];

/** Attributes by the noun that names them, in lower case. */
export const ATTRIBUTE_NOUNS: ReadonlyMap<string, AttributeNoun> = new Map([
  ...KINDS.flatMap((kind) => buildTable(NOUNS[kind], (attribute) => ({ attribute, kind }))),
  ...buildTable(TOOL_NOUNS, (attribute) => ({ attribute: `tool_for_${attribute}`, kind: "name" as const })),
]);

/** Words that qualify an attribute and do not name its subject: "the default timeout". */
export const ATTRIBUTE_QUALIFIERS: ReadonlySet<string> = new Set(
  `default max maximum min minimum total monthly annual yearly weekly daily hourly quarterly average work home personal private
  business primary secondary main backup preferred billing shipping delivery emergency mobile target initial final hard soft
  internal external public official overall net gross base usual regular standard general legal`.split(/\s+/),
);
