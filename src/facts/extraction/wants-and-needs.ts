// Needs, goals and plans of the speaker. What the speaker wants from the assistant in this turn is a request.
import { DATED, HABITUAL } from "./lasting-words";

/** Future actions of the moment. */
export const PASSING_INTENT =
  /^(?:try|check|test|ask|grab|eat|sleep|restart|look|see|send|let|think|need|tell|show|say|call|wait|do|get|have (?:a (?:look|think|go|nap|shower|snack|drink|word)|lunch|dinner|breakfast|coffee|to|another)|take (?:a (?:look|break|nap|shower|walk|bath|breather|screenshot|seat)|it|that|the|this|your)|give (?:it|that|this|you|up|him|her|them)|go (?:with|now|for|to (?:bed|sleep|the (?:gym|shop|store|loo|toilet|kitchen))|and|ahead|back|over|through|out|grab|get|make|check|home)|be (?:back|there|right|late|fine|ok|okay|honest|happy|quick|brief|away|afk|offline|online|home|out|in touch|working late)|make (?:a (?:coffee|tea|note|cup|sandwich|backup)|it|sure|some|dinner|lunch|breakfast|that|this)|come back|leave (?:it|now|in|soon|you|early)|use (?:it|this|that|the)|keep (?:you|it|that|this|an eye|going|trying|looking)|need|work on (?:it|this|that)|read|follow|fix|add|paste|copy|post|start with|assume|explain|share (?:it|this|the|my screen)|pass|skip|stick|watch|cook|order|pick|put|head|jump|hop|step|stop|finish (?:it|this|that|up|the)|continue|bear|remember|forget|sum|be the judge|miss (?:it|this|you)|reply|respond|email|text|message|ping|write (?:it|that|this|back|to you|you|down)|run (?:it|this|that|the|some|to)|die|cry|lie|admit|just|first|also|upload|download|install|update (?:it|this|you|the)|open|close|click|change (?:it|this|that)|rewrite|retry|reboot|report|find|figure|wing|sort|handle (?:it|this|that)|talk|speak to you|refactor|debug)\b/;

/** What one needs for good: an aid, a medicine, a condition. What one needs from the assistant is a request. */
export function judgeNeed(rest: string, clause: string): boolean {
  if (/^to\b/.test(rest))
    return (
      /^to (?:avoid|eat|drink|wear|inject|take (?:\d|my (?:insulin|medication|pills|tablets|meds))|limit|watch my|sleep (?:at least|\d))\b/.test(
        rest,
      ) ||
      (HABITUAL.test(clause) && !/^to (?:know|find|check)\b/.test(rest))
    );
  return (
    /\b(?:wheelchair|glasses|insulin|inhaler|hearing aids?|step-free|subtitles|medication|crutches|walking stick|dialysis|oxygen|visa|gluten|vegan|vegetarian|halal|kosher|captions|screen reader|large print|interpreter|cane|hours of sleep|ergonomic|quiet|silence|complete silence|accessible)\b/.test(
      rest,
    ) &&
    !/^(?:you|your|help|the|this|that|an? (?:\w+ )?(?:list|recipe|summary|table|letter|recommendation|template))\b/.test(
      rest,
    )
  );
}

/** Goals and plans; a wish about the conversation is a request. */
export function judgeGoal(verb: string, rest: string, clause: string, negated: boolean): boolean {
  const goal = rest.replace(/^(?:on|of|for|to) /, "");
  if (
    /^(?:it|this|that|you|your|the|these|those|what|something|an? (?:\w+ )?(?:list|table|summary|regex|script|function|recipe|poem|story|joke|refund|answer|example|explanation|version|draft|quote|name|title|logo|email|letter|plan|plot|image|picture))\b/.test(
      goal,
    ) &&
    !DATED.test(clause)
  )
    return false;
  if (verb === "want" || verb === "wants" || verb === "hope") {
    if (!/^to\b/.test(rest))
      return (
        verb !== "hope" &&
        (negated ||
          /^(?:all|every|only|no)\b/.test(rest) ||
          /^(?:kids|children|a (?:family|dog|cat|big|third|second|baby|career))\b/.test(rest) ||
          DATED.test(clause))
      );
    if (PASSING_WISH.test(goal))
      return (
        DATED.test(clause) &&
        !/^(?:know|see|understand|ask|check|make sure|find|book|order|cancel|return)\b/.test(goal)
      );
    return LIFE_GOAL.test(goal) || DATED.test(clause) || LASTING_WISH.test(clause);
  }
  return !(PASSING_INTENT.test(goal) || PASSING_WISH.test(goal)) || DATED.test(clause);
}

/** Verbs of a life: "I want to center a div" has none and is about the task at hand. */
export const LIFE_GOAL =
  /^(?:(?:eventually|finally|really|also|properly|someday) )*(?:be(?:come)?|learn|study|live|move|retire|travel|visit|own|have|quit|stop|give up|lose|gain|save|marry|adopt|raise|emigrate|relocate|graduate|specialise|specialize|volunteer|teach|coach|climb|explore|publish|found|buy|sell|pay off|earn|work|spend|eat|drink|cut (?:down|back|out)|go (?:back|freelance|vegan|part|into|abroad|to (?:university|college|uni|art|law|med|grad|[a-z]+ (?:in|next|for|with|one)))|get (?:married|fit|in|a|better|into|my|out|pregnant|certified|promoted|back into|rid)|start (?:a|an|my|our|over|doing|working|playing|learning)|run (?:a|an|my|our|the)|open (?:a|an|my|our)|build (?:a|an|our|my|up)|write (?:a (?:book|novel|memoir|screenplay|musical)|my|books|novels)|do (?:a|an|my|more|less)|take (?:up|a|my|early|the year|better|over)|join|keep (?:bees|chickens|hens|my|our|\w+ing)|grow|improve (?:my|our)|reduce (?:my|our)|change (?:careers?|jobs|my)|switch (?:to|careers|jobs|from)|migrate|launch|hire|expand|stay|play|see (?:the world|more of)|swim|cycle|sail|hike|ride|read (?:more|\w+ books)|exercise|renovate|convert|finish my|train|compete|perform|help (?:people|others|my|our)|avoid|sleep (?:more|better)|return to (?:\w+ )?(?:work|school|university|college))\b/;
const LASTING_WISH =
  /\b(?:one day|some ?day|eventually|long[- ]term|in the long run|at some point|for the rest of)\b/i;

const PASSING_WISH =
  /^(?:know|see|ask|understand|make (?:sure|it|this|that|a (?:list|table|chart|plot|reservation|booking))|check|get (?!(?:married|fit|in shape|a (?:dog|cat|phd|degree)|better at|into|my|out of debt|pregnant|certified|promoted))|find|use|add|try|cancel|return|book|order|change (?:it|this|that|the)|talk|discuss|say|tell|show|point|clarify|confirm|hear|thank|print|display|sort|filter|convert|replace|remove|delete|create|generate|write (?:a (?:function|script|query|test|letter|reply|cv|resume|cover)|an (?:email|essay|article)|some|code|it|this)|compare|calculate|send|share|do (?:it|this|that|something)|be able|be sure|believe|emphasi[sz]e|add|apologi[sz]e|report|complain|improve (?:it|this|the)|fix|format|import|export|parse|read (?:a|the|this) file|test|set up|install|upgrade|update|cook (?:something|dinner|tonight)|eat (?:something|out|now)|go (?:home|to (?:bed|sleep)|out)|sleep|cry|die|scream|leave)\b/;
