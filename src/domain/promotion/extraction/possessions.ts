// What the speaker has: "I have two cats", "I've got a question".
import { isTaskObject } from "./task-objects";

/** Things that one has in a conversation or on a day only. */
const PASSING_POSSESSION =
  /^(?:(?:an?|the|this|that|some|any|another|one|two|three|four|five|six|ten|fifteen|twenty|\d+|half|few|a few|a couple of|several|many|no (?=time|idea|clue|questions?|choice|doubt|words|problem|comment)|my|such|more|so many|other|further|too many|your|all) )*(?:(?:bit of an?|bit of|quick|small|tiny|little|follow-up|followup|final|last|silly|stupid|simple|basic|weird|strange|slight|serious|big|huge|major|minor|real|new|good|bad|hard|tough|long|rough|great|lovely|nice|terrible|splitting|pounding|funny|gut|strong|similar|same|different|related|busy|dog|work|general|technical|urgent|minor|sore|runny|killer) )*(?:[\w%]+ (?:all )?over|battery|\d+ ?% |questions?|problems?|issues?|errors?|bugs?|ideas?|thoughts?|doubts?|concerns?|feeling|hunch|favou?r|request|comments?|feedback|suggestions?|queries|query|minutes?|mins?|tabs|windows|moods|memory of|seconds?(?!-)|moments?|time|headache|stomach ?ache|hangover|cold|cough|fever|throat|nose|call|meeting|deadline|day|night|week|morning|weekend|look|think|point|trouble|difficulty|difficulties|fun|choice|option|options|sense|clue|trip|one|it|this|that|them|to|file|files|list|function|script|string|array|variable|table|column|code|snippet|dataset|csv|query|draft|essay|text|paragraph|sentence|triangle|circle|rectangle|matrix|equation|sequence|vector|graph|sample|plenty|enough|nothing|everything|something|anything|lunch|dinner|breakfast|coffee|tea|pizza|what|great|confession|rant|story|joke|chat|reason|news|update|hope|faith|high hopes|say|control|words|mixed feelings|been|blast|go|shower|nap|break|task|assignment|homework|exam today|hands)\b/;

export function judgePossession(rest: string): boolean {
  return rest !== "" && !PASSING_POSSESSION.test(rest) && !isTaskObject(rest);
}
