// Words that are capitalised now and then and name nobody, and products that are known by their version.

export const COMMON: ReadonlySet<string> = new Set(
  [
    // Words of grammar, and what sentences begin with.
    "i i'm i've i'll i'd a an the this that these those it it's its he she they we you me him her them us my your his our",
    "their who what when where why how which if unless because since so and or but not no yes nope yeah yep ok okay as at",
    "by for from in into of off on onto out over to under up with without about above after again against all also although",
    "always am any anyone anything are around be been before being below between both can cannot can't could did didn't do",
    "does doesn't doing don't done down during each either else enough even ever every everyone everything few first had",
    "has have having here here's hence however instead is isn't it'll just last later least less let let's like likely many",
    "maybe might more most much must neither never next nobody none nor nothing now often once one only other others",
    "otherwise perhaps please quite rather really same second several shall should some someone something sometimes soon",
    "still such than thank thanks then there there's therefore they're third though through thus too today tomorrow tonight",
    "together toward two three four five six seven eight nine ten until usually very was wasn't we'll we're we've well were",
    "what's whatever whether while will won't would yesterday yet you're you've yours",
    // Greetings, titles, small talk.
    "hi hello hey dear sir madam mr mrs ms miss dr prof mom mum dad mommy daddy grandma grandpa cheers best regards kind",
    "sincerely welcome sorry congrats congratulations great good nice cool awesome perfect sure right true false wow oh ah",
    "hmm lol btw fyi imo asap aka etc god lord guys folks everybody ps",
    // Days, months, seasons, feasts.
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays",
    "sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september october november december jan feb mar apr jun jul",
    "aug sep sept oct nov dec spring summer autumn fall winter christmas easter halloween thanksgiving ramadan diwali eve",
    // Languages and peoples.
    "english german french spanish italian portuguese dutch russian chinese japanese korean arabic hindi turkish polish",
    "swedish danish norwegian finnish greek hebrew latin american british european asian african canadian australian mexican",
    "indian irish scottish welsh swiss austrian belgian czech hungarian romanian ukrainian vietnamese thai indonesian",
    // What people give orders with.
    "add ask book build buy call change check choose click close create delete deploy draft email explain find fix follow",
    "get give go help install keep look make meet merge move note open ping press push put read remember remind remove reply",
    "review run save search see select send set share show start stop submit take talk tell test try update upload use",
    "verify wait write work working using meeting need want think know read consider important urgent warning caution",
    // What every work speaks of.
    "agent ai api app application assistant backend bug build button client cloud code company config customer data",
    "database day department design developer docs document email engineering error feature file folder frontend goal",
    "header home idea internet issue item key language link list manager marketing menu message method mobile model month",
    "name network number option page part people phase plan platform point policy problem product profile program project",
    "question report request result risk role rule sales schema section security server service session settings site",
    "stage state status step store string summary support system tab table task team template text thread ticket time tip",
    "title todo tool topic type user users value version view web website week world year action object array function class",
    "module protocol chapter figure act level scene lesson unit release appendix exercise prompt series part daily weekly monthly",
  ]
    .join(" ")
    .split(" "),
);

/** In lower case. A number after any other word may be a price, a date or a count. */
export const VERSIONED: ReadonlySet<string> = new Set(
  [
    "node node.js nodejs npm deno bun python java javascript typescript ruby rails go golang rust php perl elixir erlang otp",
    "phoenix kotlin swift scala clojure haskell julia lua dart flutter .net c# c++ react vue vue.js angular svelte",
    "sveltekit next.js nuxt remix astro ember django flask fastapi laravel symfony spring boot postgres postgresql mysql",
    "mariadb sqlite mongodb redis elasticsearch opensearch kafka rabbitmq cassandra clickhouse oracle windows macos ios",
    "android ubuntu debian fedora alpine centos rhel linux kubernetes docker terraform ansible helm nginx chrome firefox",
    "safari edge opengl vulkan cuda pytorch tensorflow numpy pandas gpt claude llama gemini mistral unity unreal blender",
    "webpack vite eslint jest vitest graphql http tls openapi oauth bootstrap tailwind jquery wordpress drupal magento",
    "xcode gradle maven bazel cmake wrangler hono drizzle prisma",
  ]
    .join(" ")
    .split(" "),
);
