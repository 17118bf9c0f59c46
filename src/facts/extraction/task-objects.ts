// Parts of the text, code or data at hand. A sentence about them is about the task of the turn: "I have a JSON file",
// "I renamed the variable".

const TASK_OBJECT =
  "(?:form|presentation|survey|timer|variable|function|method|class|object|component|div|span|button|file|folder|json|xml|yaml|csv|pdf|spreadsheet|document|dataframe|dict|dictionary|array|list|tuple|string|integer|number|column|row|cell|table|regex|loop|query|script|snippet|code|program|import|parameter|argument|field|value|key|tab|line|(?:for |while )?loop|word|comma|semicolon|sentence|paragraph|heading|header|footer|title|subtitle|intro|introduction|conclusion|greeting|bullet|bullet point|slide|chart|plot|figure|axis|legend|caption|draft|essay|poem|speech|toast|cover letter|letter|e-?mail|message|reply|text|wording|tone|output|input|link|page|image|picture|screenshot|error|exception|stack trace|warning|exercise|equation|formula|triangle|circle|rectangle|matrix|vector|graph|dataset|sample|example|version|option|template|slogan|headline|summary|outline|test|settings?|cache|dependency|package|branch|commit|merge conflict)(?:s|es)?";

/** The object of a verb, at the start: a determiner, at most two other words and the noun. */
const OBJECT = new RegExp(
  `^(?:(?:an?|the|this|that|these|those|some|any|another|two|three|four|five|several|many|\\d+|my|our|all|both|each|one|just|only|first|last|second) ){0,3}(?:[\\w-]+ ){0,2}?${TASK_OBJECT}(?= (?:and|but|or|that|which|with|from|to|for|in|on|of|by|about|into|so|because|again|now|as|at|here|below|above|where|whose|when|called|named|open|to|like|containing|it|i|you|overnight)\\b| ?[,.;:]|$)`,
);

/** Whether the words after a verb begin with a part of the task at hand. */
export function isTaskObject(rest: string): boolean {
  return OBJECT.test(rest);
}
