// Given names of many languages. At the start of a sentence every word has a capital letter, so a name there is told
// from "Paris" or "Jupiter" by this list, or by a predicate that only people have.

const GIVEN_NAMES: ReadonlySet<string> = new Set(
  [
    "aaron abdul abigail adam adaeze ade adele adrian agnes ahmed aiden aiko aisha akira alan alana albert alejandro alessandra",
    "alex alexa alexander alexandra alexis ali alice alicia alina alison allison alma amalia amanda amara amelia amina amir amit",
    "amy ana anastasia anders andre andrea andreas andrew andy angela angelica anika anil anita anja ann anna anne annika anouk",
    "anthony antoine anton antonia antonio anya april arash aria ariel arjun arlo armin arnaud arthur arturo arun asha ashley",
    "astrid audrey aurora ava axel ayla aylin ayumi barbara bart bea beatrice beatriz becca bella ben benedict benjamin bernard",
    "bernd bert beth betty bianca bilal bill billy bjorn bob bogdan boris brandon brenda brian bridget bruce bruno bryan caleb",
    "callum cameron camila camille carl carla carlos carmen carol carolina caroline carolyn carrie casey catalina catherine cathy",
    "cecilia celia celine cesar chandra charles charlie charlotte chen chiara chiamaka chidi chinedu chloe chris christian",
    "christina christine christoph christopher cindy claire clara claudia claus clement colin connor conor craig cristina cynthia",
    "daisy damian dan dana daniel daniela danielle danny daria dario darius dave david dawn deborah dele denise dennis derek",
    "devon diana diane diego dieter dimitri dmitri dominic dominik donna dora doris dorothy doug douglas dylan eddie edgar edith",
    "eduardo edward eileen ekaterina elaine eleanor elena eli elias elif elijah elin elisa elise elizabeth ella ellen ellie eloise",
    "elsa emeka emil emilia emilio emily emma emmanuel emre enrique eric erica erik erin ernesto ernst esra esteban esther ethan",
    "eugene eva evan eve evelyn ewan ezra fabian fabio fadi faisal farah farid farida fatima fatma federico felipe felix fernanda",
    "fernando finn fiona flora florence florian frances francesca francesco francis francisco frank fred freddie frederik freya",
    "frida friedrich gabriel gabriela gareth gary gavin gemma geoff george georgia gerald gerard gerhard gianni gideon gina",
    "giorgio giovanni giulia giuseppe gloria gordon grace graham greg gregor greta guillermo gustav guy habib hadi hakan hamza",
    "hana hanna hannah hans harald harriet harry harsh haruki harvey hasan hassan hazel heather hector heidi helen helena helga",
    "henrik henry herbert hiro hiroshi holly hugo huda hussein ian ibrahim ida idris ignacio igor ike iman imran ines inga inge",
    "ingrid ioana irene irina iris isaac isabel isabella isabelle isla ivan ivana jack jackie jacob jacqueline jake jakob jakub",
    "jamal james jamie jan jana jane janet janice janine jasmin jasmine jason javier jean jeff jeffrey jelena jemima jen jenna",
    "jennifer jenny jens jeremy jerome jesper jess jessica jessie jesus jill jim jimmy jing joan joana joanna joao jodie joe joel",
    "johan johanna john johnny jon jonas jonathan jordan jorge jose josef joseph josephine josh joshua joy joyce juan juana jude",
    "judith judy julia julian juliana julie juliet julio jun junko jurgen justin kai kamal kamila karan karen kareem karim karin",
    "karl karla karolina kasper kate katarina kate katharina katherine kathleen kathy katie katja katrin kavita kay keiko keith",
    "kelly ken kenji kenneth kevin khadija khalid kieran kim kimberly kiran kirsten klaus kofi kostas kristen kristian kristin",
    "kristina krzysztof kunal kurt kwame kyle lara lars laszlo laura lauren laurence laurent layla lea leah leandro leila lena",
    "lennart leo leon leonard leonardo leonie leslie leticia levi lewis liam lidia lien lila lili lilian lily lin lina linda",
    "lindsay ling lionel lisa liv livia liz lorenzo lorna lotte lou louis louisa louise luc luca lucas lucia lucie lucy luis luisa",
    "luiza lukas luke lydia lynn mads magda magdalena magnus mahmoud mai maja malcolm malik malin manuel manuela mara marc marcel",
    "marcela marcin marco marcos marcus margaret margarita margot maria mariam mariana marie marina mario marion marius mark marko",
    "markus marlene marta martha martin martina marvin mary maryam mason mateo mateusz mathias mathieu mathilde matias matilda",
    "matt matteo matthew matthias maud maura maureen maurice mauricio max maxim maya megan mehmet mei mei-ling melanie melissa",
    "mercedes mia micah michael michal michela michele michelle miguel mika mike mikael mikhail mila milan miles milo mina mira",
    "miranda miriam mohamed mohammed moira molly mona monica monika moritz morgan moses muhammad murat mustafa nadia nadine nana",
    "nancy naomi natalia natalie natasha nathan neha neil nell nelson nia niall nick nicholas nicola nicolas nicole niels nigel",
    "nikhil niko nikolai nikolas nils nina nisha noah noel noor nora norah norbert norma nuno oksana olaf ole oleg olga oliver",
    "olivia olivier olu oluwaseun omar orla oscar oskar otto owen pablo paloma pam pamela paola paolo pascal pat patricia patrick",
    "patrik paul paula paulina paulo pavel pawel pedro peggy penny percy peter petra phil philip philipp phoebe pia pierre pilar",
    "piotr pooja priya priyanka rachel radu rafael rafal rahul raj raja rajesh ralf ralph ramon ramona rana raquel rashid raul",
    "ravi ray raymond rebecca reggie regina reza rhys ricardo riccardo richard rick rita rob robert roberta roberto robin robyn",
    "rocio rodrigo roger rohan roland roman romy ronald ronan rory rosa rosalind rosario rose rosie ross rowan roxana roy ruben",
    "rudolf rupert russell ruth ryan sabine sabrina sadia sally sam samantha samir samira samuel sandra sandro sandy sanjay santiago",
    "sara sarah sascha sasha scott sean sebastian selin selma serena sergei sergio seth shane shannon sharon shaun sheila sherry",
    "shirley shreya siddharth sigrid silvia simon simona simone siobhan sofia sofie sonia sonja sophia sophie soren stacy stan",
    "stanislav stefan stefania stella stephan stephanie stephen steve steven stig stuart sue sumit sunil suresh susan susana",
    "susanne suzanne sven svetlana sylvia sylvie takeshi tamar tamara tamika tanja tanya tara tariq tatiana taylor ted teo teresa",
    "terry tess tessa thea theo theresa thiago thomas tiago tim timo timothy tina tobias toby tom tomas tomasz tommy toni tony",
    "tracy trevor tristan tyler uma umar ursula valentina valeria valerie vanessa vera verena veronica vicky victor victoria vijay",
    "viktor vincent viola violet virginia vivek vivian vladimir walter wanda wei wendy werner will william willow winston wolfgang",
    "xavier xin yan yana yara yasmin yasmine yolanda yuki yuri yusuf yvonne zach zahra zainab zara zeynep zoe zofia zoltan zuri",
  ]
    .join(" ")
    .split(" "),
);

export function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word.toLowerCase());
}
