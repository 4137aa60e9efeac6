// English.

export default {
  "door.play": "Play",
  "door.explore": "Explore",
  "door.learn": "Learn",
};
