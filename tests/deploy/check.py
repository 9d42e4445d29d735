"""What the files of deploy/ must have in common, which no schema says.

The folder that is given has the Kubernetes manifests as kustomize prints them.
"""

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import yaml
from cloudcoil.models.keda.v1alpha1 import ScaledObject

DEPLOY = Path("deploy")
RENDERED = Path(sys.argv[1])


def load(path):
    return yaml.safe_load(path.read_text())


def documents(name):
    return list(yaml.safe_load_all((RENDERED / f"{name}.yaml").read_text()))


def find(name, kind, called):
    [found] = [d for d in documents(name) if (d["kind"], d["metadata"]["name"]) == (kind, called)]
    return found


def metrics():
    """The list of metrics: name to type and labels."""
    lines = (DEPLOY / "prometheus/metrics.txt").read_text().splitlines()
    words = [line.split() for line in lines if not line.startswith("#")]
    listed = {name: (kind, set(labels.split(",")) - {"-"}) for name, kind, labels, _ in words}
    assert len(listed) == len(words), "a metric is listed twice"
    return listed


def check_expression(expression, listed):
    """Names and labels of an expression are in the list; gives the names back."""
    used = set()
    for name, selector in re.findall(r"\b(hatchery_\w+)(?:\{([^}]*)\})?", expression):
        stem = re.sub(r"_(bucket|sum|count)$", "", name)
        if listed.get(stem, ("", set()))[0] == "histogram":
            assert name != stem, f"{name} is a histogram: {expression}"
            name = stem
        assert name in listed, f"{name} is no metric: {expression}"
        labels = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector))
        unknown = labels - listed[name][1] - {"job", "instance"}
        assert not unknown, f"{name} has no label {unknown}: {expression}"
        assert "job" in labels, f"{name} without a job: {expression}"
        used.add(name)
    if used:
        known = set.union(*(listed[name][1] for name in used)) | {"job", "instance", "le"}
        for group in re.findall(r"\bby \(([^)]*)\)", expression):
            unknown = {label.strip() for label in group.split(",")} - known
            assert not unknown, f"no label {unknown}: {expression}"
    return used


def check_metrics():
    listed = metrics()
    rules = [r for group in load(DEPLOY / "prometheus/alerts.yml")["groups"] for r in group["rules"]]
    for rule in rules:
        check_expression(rule["expr"], listed)
    dashboard = json.loads((DEPLOY / "grafana/dashboards/hatchery.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    shown = set()
    for target in (target for panel in panels for target in panel["targets"]):
        shown |= check_expression(target["expr"], listed)
    assert shown == set(listed), f"not on the dashboard: {set(listed) - shown}"
    [source] = load(DEPLOY / "grafana/provisioning/datasources/prometheus.yaml")["datasources"]
    assert {panel["datasource"]["uid"] for panel in panels} == {source["uid"]}
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids)), "two panels have the same id"
    jobs = {job["job_name"] for job in load(DEPLOY / "prometheus/prometheus.yml")["scrape_configs"]}
    asked = set(re.findall(r'job="([^"]*)"', json.dumps(dashboard).replace('\\"', '"')))
    asked |= {job for rule in rules for job in re.findall(r'job="([^"]*)"', rule["expr"])}
    assert asked <= jobs, f"nothing scrapes {asked - jobs}"
    return rules


def check_every_alert_is_tested(rules):
    """An alert that fires always or never fails a test."""
    folder = RENDERED / "mutants"
    folder.mkdir()
    (folder / "alerts_test.yml").write_text((DEPLOY / "prometheus/alerts_test.yml").read_text())
    for rule in rules:
        for expression in ["vector(1)", "vector(0) > 1"]:
            mutants = [{**r, "expr": expression} if r is rule else r for r in rules]
            groups = {"groups": [{"name": "mutants", "rules": mutants}]}
            (folder / "alerts.yml").write_text(yaml.safe_dump(groups))
            command = ["promtool", "test", "rules", "alerts_test.yml"]
            passed = subprocess.run(command, cwd=folder, capture_output=True).returncode == 0
            assert not passed, f"{rule['alert']}: no test fails if it is {expression}"


def check_redis():
    """Redis keeps what it is given, however it is started."""
    stateful = find("redis", "StatefulSet", "redis")["spec"]["template"]["spec"]["containers"][0]
    compose = load(DEPLOY / "compose.yaml")["services"]["redis"]
    assert stateful["image"] == compose["image"]
    for arguments in [stateful["args"], compose["command"]]:
        options = dict(zip(arguments[1::2], arguments[2::2]))
        expected = {"--appendonly": "yes", "--appendfsync": "everysec", "--maxmemory-policy": "noeviction"}
        assert expected.items() <= options.items(), options


def check_kubernetes():
    """Selectors find what is there, and graces are long enough."""
    coordinator = find("farm", "Deployment", "coordinator")
    worker = find("farm", "Deployment", "worker")
    labels = coordinator["spec"]["template"]["metadata"]["labels"]
    assert find("farm", "Service", "hatchery")["spec"]["selector"] == labels
    assert find("farm", "PodDisruptionBudget", "coordinator")["spec"]["selector"]["matchLabels"] == labels
    for deployment, least in [(coordinator, 25 + 10), (worker, 45 + 10)]:
        assert least <= deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    policies = {d["metadata"]["name"]: d for d in documents("farm") + documents("redis") if d["kind"] == "NetworkPolicy"}
    [way] = policies["worker"]["spec"]["egress"]
    assert way["to"] == [{"podSelector": {"matchLabels": labels}}], "workers reach coordinators only"
    [way] = policies["redis"]["spec"]["ingress"]
    assert way["from"] == [{"podSelector": {"matchLabels": labels}}], "only coordinators reach Redis"
    [scaled] = documents("keda")
    # What the model does not know it forgets.
    known = ScaledObject.model_validate(scaled).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert known["spec"] == scaled["spec"], "KEDA does not know all of it"
    assert scaled["spec"]["scaleTargetRef"]["name"] == worker["metadata"]["name"]
    assert "replicas" not in worker["spec"], "who scales it decides"


def check_monitoring():
    """The operator scrapes pods and ports that are there, under the names that alerts ask for."""
    for component, job in [("coordinator", "hatchery"), ("worker", "hatchery-worker")]:
        spec = find("monitoring", "PodMonitor", component)["spec"]
        pod = find("farm", "Deployment", component)["spec"]["template"]
        assert spec["selector"]["matchLabels"] == pod["metadata"]["labels"]
        [endpoint] = spec["podMetricsEndpoints"]
        ports = [port["name"] for port in pod["spec"]["containers"][0]["ports"]]
        assert endpoint["port"] in ports
        assert {"targetLabel": "job", "replacement": job} in endpoint["relabelings"]
    [made] = re.findall(r"^ *(\{ printf .*; \}) \|", (DEPLOY / "README.md").read_text(), re.M)
    rule = yaml.safe_load(subprocess.check_output(["bash", "-c", made]))
    assert rule["kind"] == "PrometheusRule"
    assert rule["spec"] == load(DEPLOY / "prometheus/alerts.yml")


def check_ingress():
    """A person's way in ends at a port of the service, which has a host of its own."""
    ingress = load(DEPLOY / "kubernetes/ingress/ingress.yaml")
    [rule] = ingress["spec"]["rules"]
    [path] = rule["http"]["paths"]
    service = find("farm", "Service", path["backend"]["service"]["name"])
    ports = {port["name"] for port in service["spec"]["ports"]}
    assert path["backend"]["service"]["port"]["name"] in ports


def check_steps():
    """Files are there before the services that read them, and readable by their users."""
    text = (DEPLOY / "README.md").read_text()
    systemd = text[text.index("## systemd") : text.index("## Slurm")]
    starts = systemd.index("systemctl enable")
    for unit in (DEPLOY / "systemd").iterdir():
        for path in re.findall(r"=(?:[\w.]+:)?(/etc/hatchery/\S+)", unit.read_text()):
            name = Path(path).name.replace("%i", "lab")
            installed = [systemd.find(f"/{name}"), systemd.find(f"secrets/{name} ")]
            assert 0 < max(installed) < starts, f"{name} is not there when {unit.name} starts"
    compose = text[text.index("## Compose") : text.index("## Kubernetes")]
    assert "chmod 0644 deploy/secrets/ca.pem" in compose, "ada reads ca.pem, too"
    [owned] = re.findall(r"chown 65532 (.*)", compose)
    assert "ca.pem" not in owned
    services = load(DEPLOY / "compose.yaml")["services"]
    for name in {*services["coordinator"]["secrets"], *services["worker"]["secrets"]} - {"ca.pem"}:
        assert f"secrets/{name}" in owned, f"the image's user cannot read {name}"


class Readiness(BaseHTTPRequestHandler):
    answer = 200

    def do_GET(self):
        self.send_response(self.answer if self.path == "/readyz" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


def check_health():
    """The check of the compose file tells a coordinator that is ready from others."""
    command = load(DEPLOY / "compose.yaml")["services"]["coordinator"]["healthcheck"]["test"]
    server = HTTPServer(("127.0.0.1", 0), Readiness)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = [word.replace("7701", str(server.server_port)) for word in command[1:]]
    for Readiness.answer, ready in [(200, True), (503, False)]:
        done = subprocess.run(here, capture_output=True, timeout=30)
        assert (done.returncode == 0) == ready, (Readiness.answer, done)
    server.shutdown()
    server.server_close()
    assert subprocess.run(here, capture_output=True, timeout=30).returncode != 0


def check_readme():
    """All that is in the folder is in its README, and every path there exists."""
    text = (DEPLOY / "README.md").read_text()
    for path in set(DEPLOY.iterdir()) - {DEPLOY / "README.md"}:
        assert str(path) in text, f"{path} is not in the README"
    for path in re.findall(r"(?<!tests/)\bdeploy/[\w./@-]*\w", text):
        assert Path(path).exists() or "secrets/" in path, f"{path} is not there"


check_redis()
check_kubernetes()
check_monitoring()
check_ingress()
check_steps()
check_health()
check_readme()
check_every_alert_is_tested(check_metrics())
