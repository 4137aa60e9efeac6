// German.

import { de as learn } from "./learn.js";

export default {
  "door.play": "Spielen",
  "door.explore": "Erforschen",
  "door.learn": "Lernen",
  ...learn,
};
