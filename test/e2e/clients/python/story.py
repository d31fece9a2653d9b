import json
import os
from datetime import date
from decimal import Decimal
from tempfile import NamedTemporaryFile

from cost_analytics_client import Refusal, connect, data_of, frame, items, store_csv, table
from cost_analytics_client.generated.api.metrics import create_metric, get_metric, list_metrics
from cost_analytics_client.generated.api.months import get_metric_months
from cost_analytics_client.generated.api.values import store_values
from cost_analytics_client.generated.models import (
    CreateMetricBody,
    CreateMetricBodyAggregation,
    CreateMetricBodyFrequency,
    NewOrganisationScope,
    StoreValuesBody,
    StoreValuesBodyValuesItem,
)

client = connect(os.environ["COST_ANALYTICS_URL"], os.environ["COST_ANALYTICS_KEY"])


def new_metric(name: str) -> str:
    body = CreateMetricBody(
        name=name,
        unit="unit",
        aggregation=CreateMetricBodyAggregation.TOTAL,
        frequency=CreateMetricBodyFrequency.MONTHLY,
        scope=NewOrganisationScope(type_="organisation"),
    )
    return data_of(create_metric.sync(client=client, body=body)).id


orders = new_metric("Orders")
new_metric("Visits")
values = StoreValuesBody(values=[StoreValuesBodyValuesItem(period="2026-01", value=90.25)])
stored = data_of(store_values.sync(orders, client=client, body=values))
months = data_of(get_metric_months.sync(orders, client=client))
names = [metric.name for metric in items(list_metrics.sync, client=client, limit=1)]

rows = frame(client, "/api/v1/export/values", start="2026-01", end="2026-01")
assert rows.dtypes.astype(str)[["period", "value", "changed_at"]].to_list() == [
    "datetime64[ms]",
    "float64",
    "datetime64[us, UTC]",
], rows.dtypes
assert rows["value"].to_list() == [90.25], rows
exact = table(client, "/api/v1/export/values", start="2026-01", end="2026-01")
assert exact["value"].to_pylist() == [Decimal("90.2500000000")], exact
assert exact["period"].to_pylist() == [date(2026, 1, 1)], exact
try:
    frame(client, "/api/v1/export/values", start="2026-02", end="2026-01")
except Refusal as refusal:
    assert str(refusal).startswith("end: "), refusal
else:
    raise AssertionError("a range that ends before it begins was read")

# The year before: two months as bytes, and one of them again from a file.
sent = store_csv(client, orders, b"period,value\n2025-01,4\n2025-02,5\n")
assert (sent.created, sent.replaced) == (2, 0), sent
with NamedTemporaryFile() as csv:
    csv.write(b"period,value\n2025-02,6.5\n")
    csv.seek(0)
    sent = store_csv(client, orders, csv)
assert (sent.created, sent.replaced) == (0, 1), sent
early = table(client, "/api/v1/export/values", start="2025-01", end="2025-02")
assert early["value"].to_pylist() == [Decimal("4"), Decimal("6.5")], early
try:
    store_csv(client, orders, b"period,value\n2025-01,many\n")
except Refusal as refusal:
    assert "many" in str(refusal), refusal
else:
    raise AssertionError("a value that is no number was stored")

try:
    error = data_of(get_metric.sync("met_0", client=client))
except Refusal as refusal:
    error = str(refusal)
january = next(month.value for month in months if month.month == "2026-01")
print(json.dumps({"created": stored.created, "january": january, "names": names, "error": error}))
