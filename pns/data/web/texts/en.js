// English.

import explore from "./explore.js";

export default {
  "door.play": "Play",
  "door.explore": "Explore",
  "door.learn": "Learn",
  ...explore,
};
