// Word lists of the fact parser: places, technologies, jobs, states.

function toWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split(/[,\n]/)
      .map((word) => word.trim())
      .filter(Boolean),
  );
}

/** Large cities and countries, to recognise a place in lower case or after an ambiguous verb. */
const PLACES = toWords(`
  amsterdam, athens, atlanta, auckland, austin, bangalore, bangkok, barcelona, basel, beijing, belgrade, bergen, berlin, bern
  birmingham, bogota, bologna, bordeaux, boston, bratislava, bremen, brisbane, bristol, brussels, bucharest, budapest, buenos aires
  cairo, calgary, cambridge, cape town, cardiff, chennai, chicago, cologne, copenhagen, cork, dallas, delhi, denver, detroit, dresden
  dubai, dublin, düsseldorf, edinburgh, florence, frankfurt, gdansk, geneva, genoa, ghent, glasgow, gothenburg, graz, hamburg, hanoi
  hanover, helsinki, hong kong, houston, istanbul, jakarta, johannesburg, kansas city, karachi, kyiv, kraków, krakow, kyoto, lagos, leeds
  leipzig, lille, lima, lisbon, liverpool, ljubljana, london, los angeles, lyon, madrid, málaga, malaga, manchester, manila, marseille
  melbourne, mexico city, miami, milan, minneapolis, montreal, moscow, mumbai, munich, nairobi, nantes, naples, nashville, new york, nice
  nyc, oakland, osaka, oslo, ottawa, oxford, palermo, paris, perth, philadelphia, phoenix, pittsburgh, porto, portland, prague, quito
  riga, rio de janeiro, rome, rotterdam, salzburg, san diego, san francisco, san jose, santiago, são paulo, sao paulo, seattle
  seoul, seville, shanghai, singapore, sofia, stockholm, strasbourg, stuttgart, sydney, taipei, tallinn, tel aviv, the hague, tokyo
  toronto, toulouse, turin, utrecht, valencia, vancouver, venice, vienna, vilnius, warsaw, washington, wellington, zagreb, zurich, zürich
  argentina, australia, austria, belgium, brazil, bulgaria, canada, chile, china, colombia, croatia, cyprus, denmark, egypt, england
  estonia, finland, france, germany, greece, hungary, iceland, india, indonesia, ireland, israel, italy, japan, kenya, latvia
  lithuania, luxembourg, malaysia, malta, mexico, morocco, netherlands, new zealand, nigeria, norway, peru, poland, portugal
  romania, scotland, serbia, slovakia, slovenia, south africa, south korea, spain, sweden, switzerland, taiwan, thailand, turkey
  ukraine, united kingdom, united states, vietnam, wales, california, texas, florida, bavaria, tuscany, brooklyn, queens, manhattan`);

export function isKnownPlace(text: string): boolean {
  const [city = ""] = text.toLowerCase().split(",");
  return PLACES.has(city.trim());
}

const TECHNOLOGIES = toWords(`
  aws, azure, gcp, google cloud, heroku, fly.io, fly, vercel, netlify, render, railway, digitalocean, cloudflare, cloudflare workers, hetzner
  kubernetes, k8s, docker, podman, nomad, terraform, pulumi, ansible, jenkins, github actions, gitlab, gitlab ci, circleci, travis, buildkite
  github, bitbucket, jira, linear, asana, trello, notion, confluence, slack, teams, microsoft teams, discord, zoom, mattermost
  postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, redis, valkey, memcached, dynamodb, cassandra, clickhouse, snowflake
  bigquery, elasticsearch, opensearch, kafka, rabbitmq, nats, sqs, d1, r2, s3, supabase, firebase, planetscale, neon, turso
  python, ruby, rails, django, flask, fastapi, go, golang, rust, java, kotlin, scala, swift, typescript, javascript, php, laravel, elixir
  phoenix framework, c++, c#, .net, node, node.js, deno, bun, react, vue, svelte, sveltekit, angular, next.js, nuxt, remix, astro, solid, htmx
  jest, vitest, mocha, pytest, cypress, playwright, selenium, webpack, vite, esbuild, rollup, npm, pnpm, yarn, poetry, uv, pip, cargo
  vim, neovim, emacs, vs code, vscode, visual studio code, zed, cursor, intellij, sublime, sublime text, webstorm, pycharm, helix, nano
  linux, ubuntu, debian, fedora, arch, arch linux, nixos, windows, macos, mac, android, ios, iphone, chrome, firefox, safari, edge, brave, arc
  figma, sketch, miro, canva, adobe xd, photoshop, affinity, stripe, adyen, paypal, braintree, paddle, datadog, grafana, prometheus, sentry
  new relic, honeycomb, splunk, segment, mixpanel, amplitude, posthog, hubspot, salesforce, pipedrive, intercom, zendesk, freshdesk
  sendgrid, mailgun, postmark, mailchimp, resend, twilio, auth0, okta, clerk, keycloak, openai, anthropic, claude, gpt, gemini, llama, mistral
  wordpress, shopify, webflow, ghost, hugo, jekyll, docusaurus, gatsby, bash, zsh, fish, powershell, tmux, git, svn, mercurial, graphql, grpc
  rest, tailwind, bootstrap, eslint, biome, prettier, prisma, drizzle, obsidian, evernote, onenote, todoist, things, spotify, apple music
  gmail, outlook, protonmail, proton, fastmail, thunderbird, 1password, bitwarden, lastpass, dropbox, google drive, google docs
  nginx, apache, caddy, traefik, haproxy, envoy, haskell, zig, lua, perl, julia, dart, flutter, clojure, erlang, redux, zustand, sass, turborepo, nx, ruff, black, mypy, cmake, bazel, gradle, maven, make
  microservices, serverless, monorepo, cloud, remote, agile, scrum, kanban`);

export function isTechnology(text: string): boolean {
  return TECHNOLOGIES.has(
    text
      .toLowerCase()
      .replace(/^(?:the|a|an) /, "")
      .replace(/ v?\d[\d.]*$/, ""),
  );
}

const COMPANIES = toWords(`
  google, apple, microsoft, amazon, meta, facebook, netflix, tesla, ibm, intel, oracle, sap, siemens, bosch, bmw, volkswagen, deloitte
  kpmg, accenture, mckinsey, pwc, uber, airbnb, spotify, twitter, linkedin, nvidia, amd, samsung, sony, toyota, shopify, stripe, acme, globex
  initech, openai, anthropic, sales, marketing, finance, engineering, hr, legal, operations, support, management, design, product, research, qa`);

export function isOrganisation(text: string): boolean {
  return (
    COMPANIES.has(text.toLowerCase()) ||
    /\b(?:inc|corp|corporation|ltd|llc|gmbh|ag|labs?|technologies|systems|software|group|university|college|school|team|department|division|bank|studios?|consulting|partners|plan|tier|apartment|house|flat)\.?$/i.test(
      text,
    )
  );
}

export const DEPARTMENT =
  /^(?:the )?(?:sales|marketing|finance|engineering|hr|human resources|legal|operations|ops|support|management|design|product|research|r&d|qa|it|security|data|platform|infrastructure|accounting|procurement|logistics|customer success)(?: team| department| side)?$/i;

export const LANGUAGE =
  /^(?:english|german|french|spanish|italian|portuguese|dutch|swedish|norwegian|danish|finnish|polish|czech|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|arabic|hebrew|hindi|urdu|bengali|tamil|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai|indonesian|malay|catalan|basque|irish|welsh|swahili|latin|esperanto)$/i;

const JOB =
  /(?:^|[ -])(?:engineer|developer|programmer|manager|designer|architect|analyst|scientist|consultant|director|accountant|nurse|doctor|surgeon|dentist|teacher|professor|lecturer|lawyer|attorney|paralegal|electrician|plumber|carpenter|mechanic|waiter|waitress|barista|bartender|chef|baker|cashier|clerk|receptionist|secretary|administrator|sysadmin|technician|pharmacist|therapist|psychologist|physiotherapist|veterinarian|vet|pilot|firefighter|paramedic|librarian|journalist|editor|translator|interpreter|researcher|postdoc|intern|trainee|apprentice|recruiter|salesperson|realtor|banker|economist|supervisor|foreman|cto|ceo|cfo|coo|cmo|vp|(?:vice )?president(?: of [\p{L} ]+)?|director of [\p{L} ]+|vp of [\p{L} ]+|principal|head of [\p{L} ]+|vice president|tech lead|team lead|team leader|product owner|scrum master|police officer|officer|flight attendant|social worker|data scientist|copywriter|biologist|chemist|physicist|optician|midwife|hairdresser|bus driver|truck driver|taxi driver|assistant|coordinator|controller|auditor|investor|civil servant|postman|farmer|gardener|tester|fisherman|physician|illustrator|courier|coach|driver|resident|tailor|butcher|florist|photographer|videographer|animator|producer|broker|trader|underwriter|actuary|statistician|mathematician|geologist|engineer ii|sre|devops engineer|marketer|strategist|planner|buyer|merchandiser|dispatcher|operator|machinist|welder|roofer|painter and decorator|builder|surveyor|janitor|caretaker|cleaner|housekeeper|security guard|guard|soldier|sergeant|captain|detective|judge|prosecutor|notary|diplomat|curator|archivist|tutor|instructor|headteacher|nanny|au pair|childminder|counsellor|counselor|psychiatrist|radiologist|cardiologist|anaesthetist|optometrist|dietitian|nutritionist|hygienist|caregiver|carer|bookkeeper|teller|adviser|advisor|agent|representative|sales rep|executive|account executive|specialist|associate|partner|founder|co-founder|entrepreneur|lead|product lead|engineering lead|design lead|stage manager|stylist|beautician|locksmith|glazier|joiner|stonemason|shepherd|vintner|brewer|sommelier|dishwasher|host|concierge|bellhop|steward|conductor|train driver|student|phd student|freelancer|contractor)$/iu;

/** Returns true for a trade or post that a person has one of at a time; callings such as "singer" are left out. */
export function isJobTitle(text: string): boolean {
  return (
    text.split(" ").length <= 6 &&
    !/[,;:]|\b(?:and|or|good|great|bad|better|best|terrible|excellent|excited|my|his|her|who|that|by)\b/i.test(
      text,
    ) &&
    JOB.test(text)
  );
}

export const LIFE_STATUS =
  "(?<v>single|unmarried|married|remarried|engaged|divorced|a widow|a widower|widowed|separated|dating|seeing|a bachelor|broke up|split up|broken up|in a relationship)";

export const WORK_STATUS =
  "(?<v>(?:back |fully |already )?(?:in progress|underway|under way|in review|under review|in development|in beta|in alpha|in testing|in qa|in production|blocked|unblocked|on hold|paused|on track|off track|at risk|done|complete|completed|finished|cancelled|canceled|shipped|launched|live|released|unreleased|approved|rejected|denied|accepted|declined|pending|open|reopened|closed|active|inactive|archived|merged|unmerged|paid|unpaid|signed|unsigned|resolved|unresolved|fixed|enabled|disabled|online|offline|deployed|scheduled|confirmed|unconfirmed|delivered|shelved|abandoned|green|red|up|down|up and running|operational|frozen|granted|failing|passing|broken|working|repaired|being processed|shut|settled|suspended|reinstated|reopened|ongoing|over|turned down|fully booked|booked out|in negotiation|in discussion|being packed|being prepared|being fixed|being reviewed|resumed|pending approval|pending review|pending|todo|to do|being reviewed|being built|being tested|in the backlog|on its way|on the way|arrived|final|finali[sz]ed|a draft|processing|in transit|generally available|available|unavailable|for sale|vacant|filled|renewed|expired|on|off|switched on|switched off|turned on|turned off|under construction|in draft|drafted|published|unpublished|ready|stuck|late|overdue|on schedule|delayed|behind schedule|ahead of schedule|postponed|out of order|decommissioned|retired|deprecated|supported|unsupported|unstarted|undone|unfinished|uncomplete|uncompleted|unapproved|undeployed|unlaunched|unsubmitted|halfway done|half done|unreleased|running|stopped|stable|started|returned|refunded|won|lost|passed|failed|cleared|submitted|not started|ready for review|awaiting approval|awaiting review|waiting for review|waiting for approval|sold|sold out|back in stock|out of stock|in stock))";

/** Subjects that are people or animals. */
export const PERSON_NOUN =
  /\b(?:son|daughter|child|children|kids|twins|toddler|kid|baby|brother|sister|mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|dog|cat|grandmother|grandfather|grandma|grandpa|niece|nephew|cousin|uncle|aunt|friend|boss|roommate|flatmate|puppy|kitten|horse|rabbit|parents|neighbou?r|colleague)(?: \p{L}+)?$/u;

/** Options of which a person prefers one at a time, by attribute. */
export const EXCLUSIVE_OPTIONS: readonly (readonly [attribute: string, pattern: RegExp])[] = [
  ["theme", /^(?:the )?(dark|light)(?: mode| theme)$/],
  ["seat_preference", /^(window|aisle|middle)(?: seats?)$/],
  ["units", /^(metric|imperial)(?: units| system| measurements)?$/],
  ["temperature_unit", /^(?:degrees )?(celsius|fahrenheit)$/],
  ["clock", /^(?:the )?(12|24)[- ]?(?:h|hour|hours)(?: clock| time| format)*$/],
  ["indentation", /^(tabs|spaces)(?: for indentation)?$/],
  ["answer_length", /^(short|concise|brief|long|detailed)(?: answers| replies| responses| explanations)$/],
  ["quote_style", /^(single|double)(?: quotes)$/],
  ["meeting_preference", /^(morning|afternoon|evening)(?: meetings| appointments| calls)$/],
  ["english", /^(british|american|us|uk)(?: english| spelling)$/],
  ["contact_method", /^(email|phone|text|sms|slack|whatsapp|telegram)(?: contact)$/],
];
