// The texts of the door Learn.

export const en = {
  "learn.title": "Learn Sprouts", "learn.step": "Step {number} of {count}",
  "learn.next": "Next step", "learn.back": "Back", "learn.again": "Try again",
  "learn.play": "Play a game", "learn.isDone": "done",
  "learn.rules.title": "The rules",
  "learn.rules.text": "Two players take turns. Draw a line from one spot to another. It must not cross a line. "
    + "A new spot appears in its middle. A spot can have three lines at most. Who cannot move loses.",
  "learn.rules.task": "Join two of the three spots: press one, then another.",
  "learn.rules.wrong": "That was a loop, which comes next. Try again with two different spots.",
  "learn.rules.done": "There is your line, with a new spot in the middle. It has one free place left.",
  "learn.loop.title": "A loop",
  "learn.loop.text": "A line may return to the spot where it began. That takes two of the three places of the spot.",
  "learn.loop.task": "Draw a loop: press the same spot twice.",
  "learn.loop.wrong": "That line joins two spots. Try again with one spot, pressed twice.",
  "learn.loop.done": "A loop. It has an inside and an outside.",
  "learn.regions.title": "Regions",
  "learn.regions.text": "This loop divides the paper into two regions. A line cannot leave its region, so spots in "
    + "different regions can never be joined.",
  "learn.regions.task": "Draw one more line anywhere. Only spots of one region can be joined.",
  "learn.regions.done": "Your line stayed in its region. Good players use walls like these.",
  "learn.end.title": "Why the game ends",
  "learn.end.text": "Each spot begins with three free places, its lives. A line uses two lives, and its new spot "
    + "brings one. So each move costs one life, and the game must end.",
  "learn.end.task": "One spot has three lives. Play until nobody can move, and count the lives.",
  "learn.end.done": "Two moves and it is over. With n spots there are at most 3n − 1 moves.",
  "learn.two.title": "Two spots",
  "learn.two.text": "With two spots the second player always wins, if no mistake is made.",
  "learn.two.task": "You begin, and the solver answers. Try to win. Play to the end.",
  "learn.two.done": "The solver won, and it always will. You could not have done better.",
  "learn.why.title": "Why",
  "learn.why.text": "A position is lost if each move has an answer that wins. It is won if one move leads to a "
    + "lost position. So we look from the end backwards. Here it is your turn, and there is a way to win.",
  "learn.why.task": "Find a move that leaves the other player a lost position.",
  "learn.why.wrong": "After that move the other player wins. Try another one.",
  "learn.why.done": "Right: whatever the other player does now, you have an answer.",
  "learn.sum.title": "Two games at once",
  "learn.sum.text": "Here were two equal games side by side. A move is made in one of them. The other player has "
    + "just joined the two spots of one game.",
  "learn.sum.task": "Copy that move: join the two spots of the other game.",
  "learn.sum.wrong": "That was another move. Try again: join the two spots that are not joined yet.",
  "learn.sum.done": "Equal games cancel: whatever the other player does in one, you do in the other. So you move last.",
  "learn.numbers.title": "Grundy numbers",
  "learn.numbers.text": "Each position has a number: the least one that none of its moves leads to. With 0 "
    + "whoever moves loses. In a sum, equal numbers cancel.",
  "learn.numbers.task": "Three spots have the number 1, two spots 0, and the sum has 1: you can win. Move to a sum with number 0.",
  "learn.numbers.wrong": "That sum is not 0, so the other player can win. Try another one.",
  "learn.numbers.done": "The numbers cancel now: the other player is lost. That is all the theory there is.",
};

export const de = {
  "learn.title": "Sprouts lernen", "learn.step": "Schritt {number} von {count}",
  "learn.next": "Nächster Schritt", "learn.back": "Zurück", "learn.again": "Noch einmal",
  "learn.play": "Spielen", "learn.isDone": "erledigt",
  "learn.rules.title": "Die Regeln",
  "learn.rules.text": "Zwei Spieler wechseln sich ab. Zieh eine Linie von einem Punkt zu einem anderen. Sie darf keine "
    + "Linie kreuzen. In ihrer Mitte entsteht ein neuer Punkt. Von einem Punkt gehen höchstens drei Linien aus. "
    + "Wer nicht ziehen kann, verliert.",
  "learn.rules.task": "Verbinde zwei der drei Punkte: drück erst auf den einen, dann auf den anderen.",
  "learn.rules.wrong": "Das war eine Schleife, die kommt gleich. Versuch es mit zwei verschiedenen Punkten.",
  "learn.rules.done": "Da ist deine Linie, mit einem neuen Punkt in der Mitte. Er hat noch einen freien Platz.",
  "learn.loop.title": "Eine Schleife",
  "learn.loop.text": "Eine Linie darf zu dem Punkt zurückkehren, an dem sie beginnt. Das kostet zwei seiner drei Plätze.",
  "learn.loop.task": "Zieh eine Schleife: drück zweimal auf denselben Punkt.",
  "learn.loop.wrong": "Diese Linie verbindet zwei Punkte. Drück zweimal auf einen einzigen.",
  "learn.loop.done": "Eine Schleife. Sie hat ein Inneres und ein Äußeres.",
  "learn.regions.title": "Gebiete",
  "learn.regions.text": "Diese Schleife teilt das Papier in zwei Gebiete. Keine Linie verlässt ihr Gebiet, also lassen "
    + "sich Punkte verschiedener Gebiete nie verbinden.",
  "learn.regions.task": "Zieh irgendwo noch eine Linie. Nur Punkte desselben Gebiets lassen sich verbinden.",
  "learn.regions.done": "Deine Linie blieb in ihrem Gebiet. Gute Spieler nutzen solche Wände.",
  "learn.end.title": "Warum das Spiel endet",
  "learn.end.text": "Jeder Punkt hat am Anfang drei freie Plätze, seine Leben. Eine Linie kostet zwei Leben, und ihr "
    + "neuer Punkt bringt eines. Jeder Zug kostet also ein Leben, und das Spiel muss enden.",
  "learn.end.task": "Ein Punkt hat drei Leben. Spiel, bis niemand mehr ziehen kann, und zähl die Leben.",
  "learn.end.done": "Zwei Züge, und es ist vorbei. Mit n Punkten sind es höchstens 3n − 1 Züge.",
  "learn.two.title": "Zwei Punkte",
  "learn.two.text": "Mit zwei Punkten gewinnt immer, wer als Zweiter zieht und keinen Fehler macht.",
  "learn.two.task": "Du beginnst, der Computer antwortet. Versuch zu gewinnen. Spiel bis zum Ende.",
  "learn.two.done": "Der Computer hat gewonnen, und so ist es immer. Du hättest nichts besser machen können.",
  "learn.why.title": "Warum",
  "learn.why.text": "Eine Stellung ist verloren, wenn es auf jeden Zug eine Antwort gibt, die gewinnt. Sie ist gewonnen, "
    + "wenn ein Zug zu einer verlorenen Stellung führt. Man schaut also vom Ende her. Hier bist du am Zug und "
    + "kannst gewinnen.",
  "learn.why.task": "Finde einen Zug, nach dem die Stellung für den anderen verloren ist.",
  "learn.why.wrong": "Nach diesem Zug gewinnt der andere. Versuch einen anderen.",
  "learn.why.done": "Richtig: Was der andere jetzt auch tut, du hast eine Antwort.",
  "learn.sum.title": "Zwei Spiele zugleich",
  "learn.sum.text": "Hier lagen zwei gleiche Spiele nebeneinander. Wer am Zug ist, zieht in einem davon. Der andere hat "
    + "gerade die zwei Punkte des einen Spiels verbunden.",
  "learn.sum.task": "Mach es nach: verbinde die zwei Punkte des anderen Spiels.",
  "learn.sum.wrong": "Das war ein anderer Zug. Verbinde die zwei Punkte, die noch nicht verbunden sind.",
  "learn.sum.done": "Gleiche Spiele heben sich auf: Was der andere in einem tut, tust du im anderen. So ziehst du zuletzt.",
  "learn.numbers.title": "Grundy-Zahlen",
  "learn.numbers.text": "Jede Stellung hat eine Zahl: die kleinste, die keine Stellung nach einem ihrer Züge hat. Mit 0 "
    + "verliert, wer am Zug ist. In einer Summe heben sich gleiche Zahlen auf.",
  "learn.numbers.task": "Drei Punkte haben die Zahl 1, zwei Punkte 0, die Summe 1: du kannst gewinnen. Zieh zu einer "
    + "Summe mit der Zahl 0.",
  "learn.numbers.wrong": "Diese Summe ist nicht 0, also kann der andere gewinnen. Versuch einen anderen Zug.",
  "learn.numbers.done": "Jetzt heben sich die Zahlen auf: der andere hat verloren. Mehr Theorie gibt es nicht.",
};
