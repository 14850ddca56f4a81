// The names that Codex promises to the code of its code mode. What they need of the host is in `$host`, see functions.rs.
(() => {
  const { call, show, store, load, notify, yieldControl } = $host;
  const end = final_answer;
  const { parse, stringify } = JSON;

  /** A value as text: primitives as they are, everything else as JSON where there is such. */
  const words = (value) => {
    const isPrimitive = value === null || (typeof value !== 'object' && typeof value !== 'function');
    return isPrimitive ? String(value) : stringify(value) ?? String(value);
  };

  const text = (value) => show(stringify({ type: 'input_text', text: words(value) }));

  const refuse = (message) => {
    throw new TypeError(message);
  };

  /** The URL in a value, and the object that it was found in: a text, an object with `key`, or a block of a tool's answer. */
  const mediaOf = (value, kind, key) => {
    const expected = `${kind} takes a data URL, an object with ${key}, or a block of a tool's answer that holds one`;
    let url = value;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      url = value[key];
      if (url === undefined) {
        if (value.type !== kind) refuse(value.type === undefined ? expected : `${kind} does not take a block of type ${words(value.type)}`);
        if (typeof value.data !== 'string' || value.data === '') refuse(`the block has no data of an ${kind}`);
        const mime = value.mimeType || value.mime_type || 'application/octet-stream';
        url = /^data:/i.test(value.data) ? value.data : `data:${mime};base64,${value.data}`;
      }
    }
    if (typeof url !== 'string' || url === '') refuse(expected);
    if (/^https?:/i.test(url)) refuse(`${kind} shows what is here: pass the bytes as a base64 data URL, not an address`);
    if (!/^data:/i.test(url)) refuse(`${kind} takes a base64 data URL`);
    return url;
  };

  const DETAILS = ['auto', 'low', 'high', 'original'];

  const image = (value, given) => {
    const url = mediaOf(value, 'image', 'image_url');
    if (given !== undefined && given !== null && typeof given !== 'string') refuse('the detail of an image is a text');
    const meta = value?._meta?.['codex/imageDetail'];
    const own = value?.image_url === undefined ? (DETAILS.includes(meta) ? meta : undefined) : value.detail;
    if (own !== undefined && own !== null && typeof own !== 'string') refuse('the detail of an image is a text');
    const detail = (given ?? own ?? 'high').toLowerCase();
    if (!DETAILS.includes(detail)) refuse(`the detail of an image is one of ${DETAILS.join(', ')}`);
    show(stringify({ type: 'input_image', image_url: url, detail }));
  };

  const audio = (value) => show(stringify({ type: 'input_audio', audio_url: mediaOf(value, 'audio', 'audio_url') }));

  const generatedImage = (result) => {
    if (typeof result !== 'object' || result === null) refuse('generatedImage takes what an image generation gave');
    const hint = result.output_hint;
    if (hint !== undefined && typeof hint !== 'string') refuse('the output_hint of a generated image is a text');
    image(result);
    if (hint !== undefined) text(hint);
  };

  const names = ALL_TOOLS.map(({ name }) => name);
  const tools = Object.fromEntries(names.map((name, index) => [
    name,
    // Without an argument there is no input, which is not the same as null.
    (...input) => call(index, input.length === 0 ? undefined : stringify(input[0])),
  ]));

  Object.assign(globalThis, {
    tools: Object.freeze(tools),
    text: (value) => void text(value),
    image: (value, detail) => void image(value, detail),
    audio: (value) => void audio(value),
    generatedImage: (result) => void generatedImage(result),
    store: (key, value) => {
      const json = stringify(value);
      if (json === undefined) refuse(`${words(key)} cannot be stored: only what JSON can say can be`);
      store(String(key), json);
    },
    load: (key) => {
      const json = load(String(key));
      return json === undefined ? undefined : parse(json);
    },
    notify: (value) => void notify(words(value)),
    yield_control: () => void yieldControl(),
    exit: () => end(),
  });
})();
