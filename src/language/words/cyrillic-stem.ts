// The Snowball stemmer for Russian. It serves all words in Cyrillic letters: the text index and queries stem alike, so a
// wrong stem of another language still matches itself.

/** The part of a word after its first vowel, which endings are taken from. */
const AFTER_VOWEL = /^(.*?[аеиоуыэюя])(.*)$/u;

const GERUND = /(?:ив|ивши|ившись|ыв|ывши|ывшись|(?<=[ая])(?:в|вши|вшись))$/u;
const REFLEXIVE = /с[яь]$/u;
const ADJECTIVE = /(?:ее|ие|ые|ое|ими|ыми|ей|ий|ый|ой|ем|им|ым|ом|его|ого|ему|ому|их|ых|ую|юю|ая|яя|ою|ею)$/u;
const PARTICIPLE = /(?:ивш|ывш|ующ|(?<=[ая])(?:ем|нн|вш|ющ|щ))$/u;
const VERB =
  /(?:ила|ыла|ена|ейте|уйте|ите|или|ыли|ей|уй|ил|ыл|им|ым|ен|ило|ыло|ено|ят|ует|уют|ит|ыт|ены|ить|ыть|ишь|ую|ю|(?<=[ая])(?:ла|на|ете|йте|ли|й|л|ем|н|ло|но|ет|ют|ны|ть|ешь|нно))$/u;
const NOUN =
  /(?:а|ев|ов|ие|ье|е|иями|ями|ами|еи|ии|и|ией|ей|ой|ий|й|иям|ям|ием|ем|ам|ом|о|у|ах|иях|ях|ы|ь|ию|ью|ю|ия|ья|я)$/u;
const DERIVATION = /(?<=[аеиоуыэюя][^аеиоуыэюя]+[аеиоуыэюя]+[^аеиоуыэюя]+)(?:ост|ость)$/u;

/** Returns the stem of a word in lower case. */
export function stemCyrillic(word: string): string {
  const [, head = "", tail = ""] = AFTER_VOWEL.exec(word) ?? [];
  if (tail === "") return word;
  const ending = removeInflection(tail).replace(/и$/u, "");
  return `${head}${ending}`
    .replace(DERIVATION, "")
    .replace(/нн$/u, "н")
    .replace(/(?<=.{2})ь$/u, "");
}

function removeInflection(tail: string): string {
  if (GERUND.test(tail)) return tail.replace(GERUND, "");
  const plain = tail.replace(REFLEXIVE, "");
  if (ADJECTIVE.test(plain)) return plain.replace(ADJECTIVE, "").replace(PARTICIPLE, "");
  return VERB.test(plain) ? plain.replace(VERB, "") : plain.replace(NOUN, "");
}
