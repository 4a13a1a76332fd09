// A declarative page around imperative widgets: state in, description out, and a wrapper for each widget that has to
// carry every change across.

// MARK: The model

const store = {
  state: {
    title: "Tasks",
    tasks: [{ text: "Milk", done: false }, { text: "Bread", done: false }, { text: "Stamps", done: true }],
  },
  readers: [],
  change(how) {
    this.state = { ...this.state, ...how(this.state) };
    for (const reader of this.readers) reader(this.state);
  },
};

const openCount = ({ tasks }) => tasks.filter(({ done }) => !done).length;

// MARK: A small renderer

const h = (tag, props, ...children) => ({ tag, props: props ?? {}, children });
const wrap = (widget, value, name) => ({ widget, value, name });

/** Makes what `next` describes out of `node`, which shows `last`. */
function patch(parent, node, last, next) {
  if (typeof next === "string") {
    if (!node) parent.append(next);
    else if (last !== next) node.replaceWith(next);
  } else if (next.widget) {
    if (node) {
      next.instance = last.instance;
      next.widget.update(next.instance, next.value);
    } else {
      const place = parent.appendChild(document.createElement("div"));
      place.dataset.seam = next.name;
      next.instance = next.widget.make(place, next.value);
    }
  } else {
    const element = node ?? parent.appendChild(document.createElement(next.tag));
    for (const [key, value] of Object.entries(next.props)) {
      if (key === "name") element.dataset.seam = value;
      else if (element[key] !== value) element[key] = value;
    }
    const nodes = [...element.childNodes];
    next.children.forEach((child, index) => patch(element, nodes[index], last?.children[index], child));
    for (const left of nodes.slice(next.children.length)) left.remove();
  }
}

// MARK: The wrapped widgets

const OpenCount = {
  make: (place, count) => new Counter(place, count),
  update(counter, count) {
    counter.setValue(count);
  },
};

const Title = {
  make: (place, text) => new TitleField(place, text, (typed) => store.change(() => ({ title: typed }))),
  update(field, text) {
    field.setValue(text);
  },
};

// MARK: The page

function page(state) {
  return h("div", null,
    h("header", null,
      wrap(Title, state.title, "Header.title"),
      wrap(OpenCount, openCount(state), "Header.openCount")),
    h("ul", { name: "List.tasks" },
      ...state.tasks.map(({ text, done }, index) =>
        h("li", { className: done ? "done" : "", onclick: () => store.change(({ tasks }) => toggled(tasks, index)) }, text))),
    h("button", { id: "add", onclick: () => store.change(({ tasks }) => added(tasks)) }, "Add"));
}

const toggled = (tasks, index) => ({
  tasks: tasks.map((task, place) => (place === index ? { ...task, done: !task.done } : task)),
});
const added = (tasks) => ({ tasks: [...tasks, { text: `Task ${tasks.length + 1}`, done: false }] });

let shown;
function render(state) {
  const next = page(state);
  const main = document.querySelector("main");
  patch(main, main.firstChild, shown, next);
  shown = next;
}

// MARK: Being watched

// All that a page has to offer: what its fields should show, and when that has changed. What they do show is read
// from the screen, not from here: each element that shows one is marked with data-seam.
window.seamModel = {
  read: () => ({
    title: store.state.title,
    openCount: openCount(store.state),
    tasks: store.state.tasks.map(({ text }) => text).join("\n"),
  }),
  // Before the renderer: a change that is never drawn is told all the same.
  onChange: (reader) => store.readers.unshift(reader),
};

render(store.state);
store.readers.push(render);
