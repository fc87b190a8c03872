// A browser starts no worker from a page that is a file. The search runs in a hidden frame of the page instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) =>
        setTimeout(() => {
          const said = new MessageEvent("message", { data: structuredClone(data) });
          this.onmessage?.(said);
          this.dispatchEvent(said);
        });
      const script = this.inside.document.createElement("script");
      script.src = address;
      script.onload = () => {
        const held = this.waiting;
        this.waiting = null;
        held.forEach((data) => this.postMessage(data));
      };
      this.inside.document.body.append(script);
      this.frame = frame;
    }
    postMessage(data) {
      const copy = structuredClone(data); // as a worker gets it: it changes what it was asked
      if (this.waiting) this.waiting.push(copy);
      else setTimeout(() => this.inside.dispatchEvent(new MessageEvent("message", { data: copy })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
