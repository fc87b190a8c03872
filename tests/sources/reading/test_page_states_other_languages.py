"""Walls and missing pages in other languages are told, and short pages of medicine in them stay ``ok``."""

import pytest

from tests.support.fetched import read

EN = (
    "Take one 500 mg tablet twice a day with food for seven days. Children under 12 years should not take it. Stop and "
    "see a doctor if you get a rash, swelling of the face or trouble breathing. Drink plenty of water."
)
DE = (
    "Erwachsene nehmen zweimal täglich 5 mg Apixaban ein, unabhängig von den Mahlzeiten. Bei einer Clearance von 15 "
    "bis 29 ml/min beträgt die Dosis 2,5 mg zweimal täglich. Unter 15 ml/min wird die Anwendung nicht empfohlen. Die "
    "Nierenfunktion sollte einmal im Jahr überprüft werden, bei älteren Menschen öfter."
)
FR = (
    "Les adultes prennent 5 mg d'apixaban deux fois par jour, pendant ou en dehors des repas. Si la clairance est "
    "comprise entre 15 et 29 ml/min, la dose est de 2,5 mg deux fois par jour. En dessous de 15 ml/min, l'utilisation "
    "n'est pas recommandée. La fonction rénale est contrôlée une fois par an."
)
ES = (
    "Los adultos toman 5 mg de apixabán dos veces al día, con o sin alimentos. Si el aclaramiento es de 15 a 29 "
    "ml/min, la dosis es de 2,5 mg dos veces al día. Por debajo no se recomienda su uso. La función renal se "
    "comprueba una vez al año en todos los pacientes."
)
PT = (
    "Os adultos tomam 5 mg de apixabano duas vezes por dia, com ou sem alimentos. Se a depuração for de 15 a 29 "
    "ml/min, a dose é de 2,5 mg duas vezes por dia. Abaixo não se recomenda a sua utilização. A função renal é "
    "verificada pelo menos uma vez por ano."
)
IT = (
    "Gli adulti assumono 5 mg di apixaban due volte al giorno, con o senza cibo. Se la clearance è tra 15 e 29 "
    "ml/min, la dose è di 2,5 mg due volte al giorno. Sotto 15 ml/min l'uso non è raccomandato. La funzione renale va "
    "controllata almeno una volta all'anno."
)
NL = (
    "Volwassenen nemen tweemaal per dag 5 mg apixaban, met of zonder voedsel. Bij een klaring van 15 tot 29 ml/min is "
    "de dosis tweemaal per dag 2,5 mg. Onder 15 ml/min wordt gebruik niet aanbevolen. De nierfunctie wordt eenmaal per "
    "jaar gecontroleerd bij alle patiënten."
)


def state(title, heading, text, banner=""):
    body = f"""<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body><header><a href="/">
    Example</a> <nav><a href="/a">A–Z</a> <a href="/l">Log in</a></nav></header><div id="cookie-banner">{banner}</div>
    <main><h1>{heading}</h1><p>{text}</p></main><footer>© Example Health</footer></body></html>"""
    return read(body, "https://health.example/medicines/apixaban").state


GOOD = [
    ("Planticillin", "Planticillin", f"{EN} We use cookies on this website.", ""),
    ("Planticillin", "Planticillin", EN, "We use cookies. <button>Accept all cookies</button>"),
    ("404 mg? How odd doses come about", "404 mg? How odd doses come about", f"15 mg/kg for 26.9 kg. {EN}", ""),
    ("Paywalls in medicine", "Paywalls in medicine", f"Two in three meet a paywall each week. {EN * 8}", ""),
    ("How we use cookies", "How we use cookies", f"One cookie keeps you signed in for 30 minutes. {EN}", ""),
    ("Access denied: women and pain relief", "Access denied: women and pain relief", EN, ""),
    ("Ranitidine is no longer available", "Ranitidine is no longer available", f"It was removed from sale. {EN}", ""),
    ("Nothing found on the scan: what now?", "Nothing found on the scan: what now?", EN, ""),
    ("Oops: medication errors at home", "Oops: medication errors at home", EN, ""),
    ("Already a member?", "Inguinal hernia", f"Already a member? Log in. {EN}", ""),
    ("Apixaban", "Apixaban", DE, "Wir verwenden Cookies. <button>Alle akzeptieren</button>"),
    ("Kein Nutzen", "Ein Nutzen wurde nicht gefunden", f"{DE} Die Seite der Lähmung existiert nicht immer.", ""),
    ("Cookies backen", "Cookies backen bei Diabetes", f"Wir verwenden Cookies ohne Zucker. {DE}", ""),
    ("Impfung", "Zur Impfung anmelden", f"Bitte melden Sie sich an, um einen Termin zu erhalten. {DE}", ""),
    ("Apixaban", "Apixaban", FR, "Nous utilisons des cookies. <button>Tout accepter</button>"),
    ("Cause introuvable", "La cause est parfois introuvable", f"{FR} Aucune page n'a été retirée.", ""),
    ("Grippe", "La grippe", f"Article réservé à la prévention. {FR} Déjà abonné ? Connectez-vous.", ""),
    ("Apixabán", "Acceso denegado a la sanidad", ES, "Utilizamos cookies propias. <button>Aceptar todas</button>"),
    ("Un momento", "Un momento para respirar", ES, ""),
    ("Apixabano", "Apixabano", PT, "Utilizamos cookies. <button>Aceitar todos</button>"),
    ("La tua privacy in reparto", "La tua privacy in reparto", IT, "Utilizziamo i cookie. <button>Accetta</button>"),
    ("Cookies", "Suiker in cookies", f"Cookies bevatten 30 g suiker. {NL}", "Wij gebruiken cookies."),
]  # fmt: skip


@pytest.mark.parametrize("parts", GOOD, ids=lambda parts: parts[1])
def test_pages_of_medicine_are_ok(parts):
    assert state(*parts) == "ok"


BAD = [
    ("soft_404", "Whoops!", "Whoops, that page is gone.", "Looks like you followed a bad link."),
    ("soft_404", "Nothing found", "Nothing here", "It looks like nothing was found at this location. Try a search?"),
    ("soft_404", "Seite nicht gefunden | Klinik", "Fehler", "Bitte nutzen Sie die Suche."),
    ("soft_404", "Klinikum", "Hoppla!", "Die angeforderte Seite konnte nicht gefunden werden."),
    ("soft_404", "Page introuvable - Santé", "Erreur", "Retournez à l'accueil."),
    ("soft_404", "Santé", "Oups !", "La page que vous recherchez n'existe pas ou a été déplacée."),
    ("soft_404", "Página no encontrada | Salud", "Error", "Vuelva a la página de inicio."),
    ("soft_404", "Salud", "¡Ups!", "Lo sentimos, no hemos podido encontrar la página que buscas."),
    ("soft_404", "Página não encontrada | Saúde", "Erro", "A página que procura não existe ou foi removida."),
    ("soft_404", "Pagina non trovata | Salute", "Errore", "La pagina che stai cercando è stata spostata."),
    ("soft_404", "Pagina niet gevonden | Zorg", "Fout", "De pagina die u zoekt bestaat niet meer."),
    ("cookie_wall", "Gesundheit", "Wir schätzen Ihre Privatsphäre", "Wir und 120 Partner verwenden Cookies. Mit Klick "
     "auf Alle akzeptieren stimmen Sie zu. Sie können Ihre Einwilligung jederzeit widerrufen."),
    ("cookie_wall", "Santé", "Votre vie privée", "Nous et nos partenaires utilisons des cookies. Tout accepter."),
    ("cookie_wall", "Salud", "Tu privacidad", "Nosotros y nuestros socios utilizamos cookies. Aceptar o rechazar."),
    ("cookie_wall", "Saúde", "A sua privacidade", "Nós e os parceiros utilizamos cookies. Aceitar tudo."),
    ("cookie_wall", "Salute", "La tua privacy", "Noi e i nostri partner utilizziamo i cookie. Accetta tutto."),
    ("cookie_wall", "Zorg", "Uw privacy", "Wij en onze partners gebruiken cookies. Alles accepteren."),
    ("paywall", "Members", "Please log in", "You must be logged in to view this page."),
    ("paywall", "Apixaban", "Apixaban", f"{EN} This article is for subscribers only."),
    ("paywall", "Apixaban", "Apixaban", f"{DE} Dieser Artikel ist nur für Abonnenten."),
    ("paywall", "Apixaban", "Apixaban", f"{FR} Cet article est réservé aux abonnés."),
    ("paywall", "Apixabán", "Apixabán", f"{ES} Contenido exclusivo para suscriptores."),
    ("paywall", "Apixabano", "Apixabano", f"{PT} Conteúdo exclusivo para assinantes."),
    ("paywall", "Apixaban", "Apixaban", f"{IT} Questo articolo è riservato agli abbonati."),
    ("paywall", "Apixaban", "Apixaban", f"{NL} Dit artikel is alleen voor abonnees."),
    ("bot_check", "Access to this page has been denied", "Before we continue", "Press & hold to confirm."),
    ("bot_check", "", "", "Request unsuccessful. Incapsula incident ID: 877000-123"),
    ("bot_check", "journal.example", "", "Please enable JS and disable any ad blocker"),
    ("bot_check", "Making sure you're not a bot!", "Making sure you're not a bot!", "Loading. Please wait a moment."),
    ("bot_check", "Too many requests", "Too many requests", "You have sent too many requests. Try again later."),
    ("bot_check", "Sorry...", "", "Your computer or network may be sending automated queries."),
    ("bot_check", "Nur einen Moment…", "klinik.example", "Bestätigen Sie, dass Sie ein Mensch sind."),
    ("bot_check", "Un instant…", "sante.example", "Vérifiez que vous êtes un humain en effectuant l'action."),
    ("bot_check", "Un momento…", "salud.example", "Verifique que es un ser humano."),
    ("bot_check", "Um momento…", "saude.example", "Confirme que é humano."),
    ("bot_check", "Un momento…", "salute.example", "Verifica di essere un essere umano."),
    ("bot_check", "Even geduld…", "zorg.example", "Verifieer dat u een mens bent."),
    ("js_only", "App", "", "Bitte aktivieren Sie JavaScript, um diese Seite zu nutzen."),
    ("js_only", "App", "", "Veuillez activer JavaScript pour utiliser ce site."),
]  # fmt: skip


@pytest.mark.parametrize("parts", BAD, ids=lambda parts: f"{parts[0]} {parts[2] or parts[3]}")
def test_what_is_not_the_source_is_told(parts):
    assert state(*parts[1:]) == parts[0]
