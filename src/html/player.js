// Players of replays, which begin at the first frame: without this, the last one is shown.
for (const player of document.querySelectorAll("[data-scene-player]")) {
  const part = (name) => player.querySelector(`[data-player-${name}]`);
  const { matrix: [ax, ay, bx, by], rate, frames } = JSON.parse(
    player.querySelector('script[type="application/json"]').textContent);
  const last = frames.length - 1;
  const [group, slider, button] = [part("things"), part("slider"), part("play")];
  const [caption, number, speed] = [part("caption"), part("number"), part("speed")];
  const elements = new Map();
  let things = new Map();
  let reached = -1;
  let shown = last;
  let timer = 0;

  // What is there at a frame: the changes up to it, from the beginning if it lies behind.
  const advance = (frame) => {
    if (frame < reached) [things, reached] = [new Map(), -1];
    for (; reached < frame; reached += 1) {
      for (const [thing, ...pose] of frames[reached + 1][2]) {
        if (pose.length) things.set(thing, pose); else things.delete(thing);
      }
    }
  };
  const element = (thing, [symbol, x, y, turn = 0]) => {
    if (!elements.has(thing)) {
      elements.set(thing, document.createElementNS("http://www.w3.org/2000/svg", "use"));
    }
    const use = elements.get(thing);
    use.setAttribute("href", `#${player.dataset.scenePlayer}-s${symbol}`);
    const place = `translate(${ax * x + bx * y} ${ay * x + by * y})`;
    use.setAttribute("transform", turn ? `${place} rotate(${-turn / 10})` : place);
    return use;
  };
  const show = (frame) => {
    shown = Math.max(0, Math.min(last, frame));
    if (group) {
      advance(shown);
      const order = [...things.keys()].sort((a, b) => a - b);
      group.replaceChildren(...order.map((thing) => element(thing, things.get(thing))));
    }
    number.textContent = frames[shown][0];
    caption.textContent = frames[shown][1];
    slider.value = shown;
    slider.setAttribute("aria-valuetext", `frame ${frames[shown][0]}`);
  };
  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = "play";
  };
  const step = () => {
    show(shown + 1);
    if (shown < last) timer = setTimeout(step, 1000 / (rate * speed.value)); else pause();
  };
  const play = () => {
    button.textContent = "pause";
    if (shown === last) show(0);
    timer = setTimeout(step, 1000 / (rate * speed.value));
  };
  const toggle = () => (timer ? pause() : play());
  const stepBy = (frames) => { pause(); show(shown + frames); };

  button.addEventListener("click", toggle);
  part("back").addEventListener("click", () => stepBy(-1));
  part("forward").addEventListener("click", () => stepBy(1));
  slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
  player.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== player) return;
    const act = {
      " ": toggle,
      ArrowLeft: () => stepBy(-1),
      ArrowRight: () => stepBy(1),
      Home: () => stepBy(-shown),
      End: () => stepBy(last),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  // The page does not jump when captions have different numbers of lines.
  const lines = Math.max(...frames.map(([, text]) => text.split("\n").length));
  caption.style.minHeight = `${Math.min(lines, 16) * 1.5}em`;
  part("controls").hidden = false;
  show(0);
}
