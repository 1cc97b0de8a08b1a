// What is chosen in a view reaches Python once the reader pauses.

const PAUSE = 150; // milliseconds

// A notebook's model, whose choices wait for a pause: a message to Python costs the page more
// than a drawing. own: of all views of one widget, what waits and what was sent last.
export function pausing(given, own) {
  if (!given.send) return given; // a page without Python
  const send = () => sendChoices(given, own);
  return {
    get: name => newest(given, own, name),
    set(name, value) {
      own.unsent[name] = value;
      given.set(name, value);
    },
    on: (event, act) => given.on(event, act),
    off: (event, act) => given.off(event, act),
    save_changes() {
      clearTimeout(own.pause);
      own.pause = setTimeout(send, PAUSE);
    },
    send(...message) {
      send(); // a question comes after the choices that it is about
      given.send(...message);
    },
    end: send,
  };
}

// A choice that waits counts although Python repeats the one before it, but not where Python
// has said something new.
function newest(given, own, name) {
  const said = given.get(name);
  if (!(name in own.unsent)) return said;
  if (said === own.unsent[name] || said === own.sent[name]) return own.unsent[name];
  delete own.unsent[name];
  return said;
}

function sendChoices(given, own) {
  clearTimeout(own.pause);
  const chosen = Object.keys(own.unsent).map(name => [name, newest(given, own, name)]);
  own.unsent = {};
  if (!chosen.length) return;
  Object.assign(own.sent, Object.fromEntries(chosen));
  for (const [name, value] of chosen) given.set(name, value);
  given.save_changes();
}
