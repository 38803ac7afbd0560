"""Agreement of a study: table 8 with intervals and everything beside it; the same as files."""

from collections.abc import Callable

from django.http import Http404, HttpResponse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from annotation.models import Study
from annotation.report.agreement import study_agreement
from annotation.report.agreement_cells import table_8
from annotation.report.disagreements import reading_list
from annotation.report.progress import totals
from annotation.views.access import found_study, study_page
from benchmark.core.comparing.agreement_export import as_csv, as_json
from benchmark.core.comparing.agreement_report import AgreementReport, Manifest
from benchmark.core.comparing.agreement_tables import report_tables
from benchmark.core.comparing.tables import as_latex
from benchmark.permissions import Right, SignedInRequest, requires

SHOWN = 100
BREAKDOWNS = ("strata", "annotators", "pairs", "no-majority", "no-automatic")
FILES: dict[str, tuple[str, Callable[[AgreementReport, Manifest], str]]] = {
    "csv": ("text/csv", as_csv),
    "json": ("application/json", as_json),
    "tex": ("application/x-tex", lambda report, manifest: as_latex(report_tables(report, manifest))),
}


@requires(Right.RESEARCH)
@require_safe
def agreement(request: SignedInRequest, pk: int) -> HttpResponse:
    """Table 8 over all questions, and the breakdowns of one of them (`?label=`)."""
    study = _started(pk)
    counts = totals(study)
    if not counts["done"]:
        return study_page(request, study, "annotation/agreement_empty.html", {"totals": counts})
    report, manifest = study_agreement(study)
    name = request.GET.get("label", "")
    name = name if name in report.labels else study.questions[0]
    label = report.labels[name]
    tables = {table.key: table for table in report_tables(report, manifest)}
    keys = [f"agreement-{name}-{part}" for part in BREAKDOWNS]
    context = {
        "totals": counts,
        "report": report,
        "table": table_8(report),
        "name": name,
        "label": label,
        "breakdowns": [tables[key] for key in keys if key in tables],
        "shift": tables.get(f"agreement-{name}-shift"),
        "provenance": tables["agreement-manifest"],
        "reading": reading_list(study, label.disagreements[:SHOWN]),
        "shown": SHOWN,
    }
    return study_page(request, study, "annotation/agreement.html", context)


@requires(Right.RESEARCH)
@require_safe
def agreement_file(request: SignedInRequest, pk: int, format: str) -> HttpResponse:
    """The whole report as CSV, JSON or LaTeX (booktabs)."""
    if format not in FILES:
        raise Http404
    study = _started(pk)
    content_type, write = FILES[format]
    response = HttpResponse(write(*study_agreement(study)), content_type=f"{content_type}; charset=utf-8")
    name = f"{slugify(study.name) or 'study'}-{pk}-agreement.{format}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _started(pk: int) -> Study:
    study = found_study(pk)
    if study.status == Study.Status.DRAFT:
        raise Http404
    return study
