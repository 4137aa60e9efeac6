/* A browser starts no worker for a page of the file system. There the search of the site runs in
   a hidden frame instead, which offers it the part of a worker that it uses. */
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inside.document.createElement("script")
      script.src = new URL(url, location)
      const loaded = new Promise((resolve) => (script.onload = resolve))
      this.postMessage = (data) =>
        loaded.then(() => inside.dispatchEvent(new MessageEvent("message", { data })))
      inside.document.body.append(script)
    }
  }
}
