// English.

import explore from "./explore.js";
import { en as learn } from "./learn.js";

export default {
  "door.play": "Play",
  "door.explore": "Explore",
  "door.learn": "Learn",
  ...explore,
  ...learn,
};
