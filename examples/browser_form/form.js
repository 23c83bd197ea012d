// A form by which a person reports at most once a week. settings.json names the aggregator and the task.
import { BackgroundFlush, Client, HearsayError, Ledger } from "./hearsay.js";

const element = (id) => document.getElementById(id);
const say = (text) => (element("result").textContent = text);

const REASONS = {
  budget_exhausted: "This week's privacy budget is spent. Nothing was sent.",
  clock_differs: "This device's clock differs from the server's. Nothing was sent; try again in a minute.",
  opted_out: "You have stopped taking part. Nothing was sent.",
  invalid_record: "Please answer every question.",
};

function field(attribute) {
  const label = document.createElement("label");
  label.textContent = `${attribute.title || attribute.name}: `;
  const input = document.createElement(attribute.type === "range" ? "input" : "select");
  input.name = attribute.name;
  if (attribute.type === "range") {
    Object.assign(input, { type: "number", min: attribute.min, max: attribute.max, required: true });
  } else {
    // No answer is preset, so that the person must look at each question.
    input.required = true;
    input.add(new Option("please choose", ""));
    const values = attribute.type === "boolean" ? ["no", "yes"] : attribute.values;
    for (const value of values) input.add(new Option(value));
  }
  label.append(input);
  return label;
}

function recordOf(form, schema) {
  const value = ({ name, type }) => {
    const text = form.elements[name].value;
    return type === "boolean" ? text === "yes" : type === "range" ? Number(text) : text;
  };
  return Object.fromEntries(schema.map((attribute) => [attribute.name, value(attribute)]));
}

function row(report) {
  const cells = [
    new Date(report.made * 1000).toLocaleString(), report.state, report.epsilon,
    [...report.bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
  ];
  const line = document.createElement("tr");
  for (const text of cells) line.insertCell().textContent = text;
  return line;
}

async function start() {
  const settings = await (await fetch("settings.json")).json();
  const ledger = await Ledger.open({ periodSeconds: 7 * 86_400, budget: "2" });
  const client = await Client.create({ ledger, server: settings.server, task: settings.task, maxEpsilon: "1" });
  element("questions").replaceChildren(...client.task.schema.map(field));
  element("privacy").textContent =
    `Each answer costs ε = ${client.task.epsilon}; this page spends at most 2 in a week. ` +
    "Whoever reads the network sees that this device answered, and when.";

  const show = async () => {
    const out = await ledger.optedOut();
    element("log").replaceChildren(...(await ledger.log()).map(row));
    element("send").disabled = element("leave").disabled = out;
    element("return").disabled = !out;
  };
  // A real page blurs the time: delay: { law: "uniform", span: 3_600_000 }.
  const background = new BackgroundFlush(client, { outcome: show });

  element("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const payment = await client.submit(recordOf(element("form"), client.task.schema));
      say(
        payment === "reported"
          ? "A noisy answer was made. It is sent in the background."
          : "You have answered this week already. Your answers were not looked at.",
      );
    } catch (error) {
      const why = error instanceof HearsayError ? error.message : "the page has a fault";
      say(REASONS[error.code] ?? `Nothing was sent: ${why}.`);
    }
    background.wake();
    await show();
  });
  element("leave").addEventListener("click", async () => {
    await client.optOut();
    await show();
    say("You have stopped taking part.");
  });
  element("return").addEventListener("click", async () => {
    await ledger.optIn();
    await show();
    say("You take part again.");
  });
  await show();
}

start().catch((error) => say(`This browser does not report: ${error.message}.`));
