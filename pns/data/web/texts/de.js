// German.

export default {
  "door.play": "Spielen",
  "door.explore": "Erforschen",
  "door.learn": "Lernen",
};
